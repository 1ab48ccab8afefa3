"""What keeps a case from being tried at all, or from being told?"""

from __future__ import annotations


class CannotTry(Exception):
    """The case could not be tried, which says nothing of the kernel: why, and the next command."""

    def __init__(self, reason: str, next_command: str = "./lab doctor") -> None:
        super().__init__(reason)
        self.next_command = next_command


class CouldNotTell(Exception):
    """It was tried, and what was measured says nothing of the kernel or of an answer: the machine stood still for too
    long, or an instrument of ours has lost something."""
