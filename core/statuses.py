"""How does a call end, of ./lab and of `python -m labs` alike? With a status; a judge has a word for some, and so has
a case that was run."""

import tomllib
from enum import IntEnum
from pathlib import Path

STATUSES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())  # each with its number and what it means


class Status(IntEnum):
    """The statuses by name, so that a wrong name is found before a call ends with it."""

    HOLDS = STATUSES["HOLDS"]["number"]
    FAILS = STATUSES["FAILS"]["number"]
    USAGE = STATUSES["USAGE"]["number"]
    COULD_NOT = STATUSES["COULD_NOT"]["number"]
    COULD_NOT_TELL = STATUSES["COULD_NOT_TELL"]["number"]
    INTERRUPTED = STATUSES["INTERRUPTED"]["number"]
    UNREAD = STATUSES["UNREAD"]["number"]


VERDICTS = {status["verdict"]: Status[name] for name, status in STATUSES.items() if "verdict" in status}
OUTCOMES = {True: "reproduced", False: "not reproduced", None: "could not tell"}  # of a run, by its `reproduced`
