"""What was on the wire: packets as data, segments, captures."""
