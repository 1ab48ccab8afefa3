"""What was on the wire, captured."""
