"""What keeps a case from being tried at all, or from being told? And with which status does `python -m labs` end?"""

from __future__ import annotations

import tomllib
from enum import IntEnum
from pathlib import Path

STATUSES = tomllib.loads(Path(__file__).with_name("statuses.toml").read_text())  # each with its number and meaning
Status = IntEnum("Status", {name: status["number"] for name, status in STATUSES.items()})
VERDICTS = {status["verdict"]: Status[name] for name, status in STATUSES.items() if "verdict" in status}


class CannotTry(Exception):
    """The case could not be tried, which says nothing of the kernel: why, and the next command."""

    def __init__(self, reason: str, next_command: str = "./lab doctor") -> None:
        super().__init__(reason)
        self.next_command = next_command


class CouldNotTell(Exception):
    """It was tried, and what was measured says nothing of the kernel or of an answer: the machine stood still for too
    long, or an instrument of ours has lost something."""
