"""How far is the reader? One plain file of theirs, a line per verdict; never in the cache."""

import json
import subprocess
import time
from pathlib import Path

from host import paths

GUEST_FILE = "/var/lib/lab/verdicts.jsonl"


def file() -> Path:
    """Where progress is kept: one JSON object a line, appended."""
    return paths.data() / "progress.jsonl"


def add(event: dict) -> None:
    """Append one event, such as {"exercise": "frag-needed/1", "verdict": "PASS"}."""
    line = json.dumps({"date": time.strftime("%Y-%m-%d %H:%M:%S"), **event})
    with open(file(), "a") as log:
        log.write(line + "\n")


def events(exercise: str) -> list[dict]:
    """What happened with one exercise, in order; lines that are not ours are passed over."""
    try:
        lines = file().read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return []
    return [event for event in map(_event, lines) if event and event.get("exercise") == exercise]


def passed(exercise: str) -> bool:
    """Whether an answer to this exercise ever passed."""
    return any(event.get("verdict") == "PASS" for event in events(exercise))


def fetch(connection) -> None:
    """Move the verdicts that notebooks left in the reader's guest into the file."""
    move = f"mv {GUEST_FILE} {GUEST_FILE}.taken 2>/dev/null && cat {GUEST_FILE}.taken"
    try:
        result = connection.run(["sh", "-c", move], capture_output=True, text=True, timeout=15)
    except subprocess.TimeoutExpired:
        return  # a guest that a reader has cut off can still be ended
    for event in map(_event, result.stdout.splitlines()):
        if event:
            add(event)


def _event(line: str) -> dict | None:
    """One line as an event; None if it is not one of ours."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None
