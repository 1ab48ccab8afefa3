"""What was recorded: values in prose, figures with their data, commands with their output."""
