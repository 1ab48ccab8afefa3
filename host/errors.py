"""What can a person do something about? An error with what was expected, and the next command."""

from core.statuses import Status


class LabError(Exception):
    """Something that the reader can do something about.

    `message` says what was expected and what was found; `next` is a command to type.
    """

    def __init__(self, message: str, next: str = "", status: int = Status.COULD_NOT):
        super().__init__(message)
        self.message = message
        self.next = next
        self.status = status

    def __str__(self) -> str:
        text = super().__str__()
        return f"{text}\n  Next: {self.next}" if self.next else text
