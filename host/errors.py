"""What can a person do something about? An error with what was expected, and the next command. And with which status
does a call end?"""

import tomllib
from enum import IntEnum

from host.paths import LABS

STATUSES = tomllib.loads((LABS / "statuses.toml").read_text())  # each with its number and what it means
Status = IntEnum("Status", {name: status["number"] for name, status in STATUSES.items()})
VERDICTS = {status["verdict"]: Status[name] for name, status in STATUSES.items() if "verdict" in status}
USAGE, COULD_NOT = Status.USAGE, Status.COULD_NOT  # what an error ends with


class LabError(Exception):
    """Something that the reader can do something about.

    `message` says what was expected and what was found; `next` is a command to type.
    """

    def __init__(self, message: str, next: str = "", status: int = COULD_NOT):
        super().__init__(message)
        self.message = message
        self.next = next
        self.status = status

    def __str__(self) -> str:
        text = super().__str__()
        return f"{text}\n  Next: {self.next}" if self.next else text
