"""Which tests a change calls for, and how they are run."""
