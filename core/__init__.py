"""What do the reader's machine and the guest share? Names, limits, the schema of cases, packets as
data, and how pictures are drawn of data. It knows the standard library alone, and measures nothing."""
