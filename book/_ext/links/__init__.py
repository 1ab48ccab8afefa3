"""What leads from one place of the book to another: labels, terms, names in figures."""
