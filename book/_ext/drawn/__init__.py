"""Pictures that a page describes, filled in from a recording: bars, charts, growth, states."""
