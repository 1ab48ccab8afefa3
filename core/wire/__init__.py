"""Packets as data: their headers, and which bytes of a connection each carries."""
