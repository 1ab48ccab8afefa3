"""The exercises on the reader's side: an answer goes in, a verdict comes out, progress is kept."""
