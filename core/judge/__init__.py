"""What judges work with: evidence as JSON, a verdict, a reader's expression reckoned."""
