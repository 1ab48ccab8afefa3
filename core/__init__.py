"""What do the reader's machine and the guest share? Names, limits, the schema of cases: the standard library alone."""
