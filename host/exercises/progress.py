"""How far is the reader? One plain file of theirs, a line per verdict; never in the cache."""

import functools
import json
import re
import time
from pathlib import Path

from core import cases
from core.protocol import VERDICTS_FILE, VERDICTS_TAKEN
from core.statuses import VERDICTS
from host import paths
from host.phases import say

LARGEST_BYTES = 1 << 20  # the most that is fetched from a guest at once: some ten thousand verdicts
DATE = re.compile(r"[-0-9: ]{19}")
PATIENCE_S = 15  # a guest that a reader has cut off can still be ended


def file() -> Path:
    """Where progress is kept: one JSON object a line, appended."""
    return paths.data() / "progress.jsonl"


def add(event: dict) -> None:
    """Append one event, such as {"exercise": "frag-needed/1", "verdict": "PASS"}."""
    line = json.dumps({"date": time.strftime("%Y-%m-%d %H:%M:%S"), **event})
    with open(file(), "a") as log:
        log.write(line + "\n")


def events(exercise: str) -> list[dict]:
    """What happened with one exercise, in order. Lines that are not ours are passed over, and once said to be there."""
    try:
        lines = file().read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return []
    read = [_event(line) for line in lines]
    if None in read:
        _say_once(f"{file()}: line {read.index(None) + 1} is damaged; {read.count(None)} passed over")
    return [event for event in read if event and event["exercise"] == exercise]


@functools.cache
def _say_once(line: str) -> None:
    say(line)


def passed(exercise: str) -> bool:
    """Whether an answer to this exercise ever passed."""
    return any(event.get("verdict") == "PASS" for event in events(exercise))


def fetch(connection) -> None:
    """Move what notebooks left in the reader's guest, verdicts and hints, into the file. Root there may have written
    anything: of an event a known exercise, a known verdict or a hint that there is, and a time are taken. The guest
    keeps a copy, for %list."""
    moved = f"{VERDICTS_FILE}.moved"
    move = f"mv {VERDICTS_FILE} {moved} 2>/dev/null && tee -a {VERDICTS_TAKEN} <{moved}"
    found = connection.said(["sh", "-c", move], LARGEST_BYTES, PATIENCE_S).decode(errors="replace")
    taken = [_event(line) for line in found.splitlines()]
    known = cases.exercises()
    for event in taken:
        if not event or event["exercise"] not in known:
            continue
        judged = str(event.get("judged"))
        when = {"judged": judged} if DATE.fullmatch(judged) else {}
        if isinstance(event.get("verdict"), str) and event["verdict"] in VERDICTS:
            add({"exercise": event["exercise"], "verdict": event["verdict"], "notebook": True, **when})
        elif type(event.get("hint")) is int and 0 < event["hint"] <= len(known[event["exercise"]].hints):
            add({"exercise": event["exercise"], "hint": event["hint"], "notebook": True, **when})
    if None in taken:
        say(f"{VERDICTS_FILE} in the guest: {taken.count(None)} of {len(taken)} lines are no verdicts; passed over")


def _event(line: str) -> dict | None:
    """One line as an event; None if it is not one of ours."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict) or not isinstance(event.get("exercise"), str):
        return None
    verdict, hint = event.get("verdict"), event.get("hint")
    known = isinstance(verdict, str) and verdict in VERDICTS or type(hint) is int and hint > 0
    return event if known or event.get("solution") is True else None
