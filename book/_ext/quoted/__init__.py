"""Lines of other people's programs: found in their source, numbered, with notes."""
