"""What keeps a case from being tried at all?"""

from __future__ import annotations


class CannotTry(Exception):
    """The case could not be tried, which says nothing of the kernel: why, and the next command."""

    def __init__(self, reason: str, next_command: str = "./lab doctor") -> None:
        super().__init__(reason)
        self.next_command = next_command
