"""What is recorded of notebooks and cases, and the conclusions that a recording must lead to."""
