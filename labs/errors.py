"""What keeps a case from being tried at all, or from being told?"""

from core.judge.check import RAN_ON as RAN_ON

# Ids of checks that nothing can be said without.
FAULT = "shows-the-fault"  # so that there is something to compare with
TOLD_APART = "told-apart"  # what happened tells a right answer from a wrong one


class CannotTry(Exception):
    """The case could not be tried, which says nothing of the kernel: why, and the next command. `check` is the id of
    what an answer could then not be held to."""

    def __init__(self, reason: str, next_command: str = "./lab doctor", check: str = "tried") -> None:
        super().__init__(reason)
        self.next_command, self.check = next_command, check


class CouldNotTell(Exception):
    """Something was tried, and what was measured says nothing of the kernel or of an answer: the machine stood still
    for too long, or an instrument of ours has lost something. `check` is the id of what could not be told.
    `by_the_answer` says that an answer may be why, as a machine may: then evidence is not taken again, because an
    answer that is right by chance would pass at one of several tries."""

    def __init__(self, reason: str, check: str = "measured", by_the_answer: bool = False) -> None:
        super().__init__(reason)
        self.check, self.by_the_answer = check, by_the_answer
