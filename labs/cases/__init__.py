"""The cases of the book, one folder each."""
