"""What is done to every page: its head, its colours, what it may load, last changes."""
