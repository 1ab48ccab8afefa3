"""What is an answer, and which hints does its reader get? An answer is a file. How many hints are shown, and whether
the solution is, depends on what this reader did before."""

import hashlib
import json
import shlex
from pathlib import Path

from core import cases
from core.judge.check import WHOLE, Check
from core.judge.verdict import of_one
from core.statuses import Status
from host.errors import LabError
from host.exercises import answer_machine, evidence, judging, progress
from host.vm import guests
from host.vm.image import Kernel

LARGEST_ANSWER_BYTES = 1 << 20
BYTE_ORDER_MARK = "\ufeff"  # editors put it before UTF-8, and bash takes it for a part of the first word


def check(
    id: str,
    file: Path,
    unconfined: bool = False,
    keep: Path | None = None,
    with_times: bool = False,
    linux: Kernel | None = None,
) -> dict:
    """Judge the answer in `file`: {"exercise", "verdict", "reasons", "checks", …}, noted in the progress. "notes", if
    there are any, are those of the reasons that are about the file and not the answer. `unconfined` lets an answer that
    is a program of this machine do what its reader can do; `keep` is a file to leave what the verdict rests on; with
    times "took_s" says where the seconds went. `linux` is the kernel, if it is not the book's."""
    exercise = named(id)
    answer, notes = read(file, exercise)
    if keep:
        evidence.need_place(keep, file)
    try:
        verdict = judging.judge(exercise, answer, file.name, unconfined, linux)
    except answer_machine.NoMachine as reason:
        verdict = of_one(id, "FAIL", reason.check) | {"reasons": reason.reasons}
    except answer_machine.Lacking as reason:
        verdict = of_one(id, "SKIP", Check("tried", None, "", str(reason)))
    verdict["reasons"] = notes + verdict["reasons"]
    progress.add({"exercise": id, "verdict": verdict["verdict"]})
    found = verdict.pop("evidence", None)
    if not with_times:
        verdict.pop("took_s", None)
    if keep and not found:
        note = f"note: there is no evidence of this verdict to keep, so {keep} was not written"
        verdict["reasons"].append(note)
        notes = [*notes, note]
    elif keep:
        evidence.keep(keep, found)
    return verdict | {"notes": notes} if notes else verdict


def named(id: str) -> cases.Exercise:
    """The exercise "case/n"; raises with the cases that there are, or with the case's exercises."""
    return cases.exercise(id, cases.case(id.partition("/")[0]).exercises)


def read(file: Path, exercise: cases.Exercise) -> tuple[str, list[str]]:
    """The text of an answer, and what had to be changed to judge it."""
    begin = shlex.join(["cp", str(exercise.start), f"answer{exercise.suffix}"]) + "  (to begin with)"
    try:
        if file.exists() and not file.is_file():
            raise LabError(f"{file} is no file", begin, Status.USAGE)
        with open(file, "rb") as opened:
            raw = opened.read(LARGEST_ANSWER_BYTES + 1)
    except OSError as error:
        raise LabError(f"cannot read {file}: {error.strerror}", begin, Status.USAGE) from error
    if len(raw) > LARGEST_ANSWER_BYTES:
        raise LabError(f"{file} is larger than {LARGEST_ANSWER_BYTES} bytes", begin, Status.USAGE)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise LabError(f"{file} is no UTF-8 text (byte {error.start})", begin, Status.USAGE) from error
    notes = []
    if text.startswith(BYTE_ORDER_MARK):
        text = text.removeprefix(BYTE_ORDER_MARK)
        notes.append("note: the file begins with a byte-order mark; judged without")
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
        notes.append("note: the file has CRLF line ends; judged with LF")
    return text, notes


def hint(id: str) -> tuple[str, int, int]:
    """The next hint, its number and how many there are; the last one again when all were shown."""
    exercise = named(id)
    fetch_progress()
    shown = max((event.get("hint", 0) for event in progress.events(id)), default=0)
    number = min(shown + 1, len(exercise.hints))
    progress.add({"exercise": id, "hint": number})
    return exercise.hints[number - 1], number, len(exercise.hints)


def solution(id: str) -> str:
    """The solution's file, which begins with why it works. Asking for it is noted."""
    exercise = named(id)
    progress.add({"exercise": id, "solution": True})
    return exercise.solution.read_text()


def fetch_progress() -> None:
    """Take over what was judged in notebooks, from those of the reader's guests that are up."""
    for name in guests.running_profiles():
        if guest := guests.running_guest(name):
            progress.fetch(guest.connection)


def take_in(file: Path) -> tuple[list[tuple[str, str]], list[str]]:
    """Note in the progress what pages of the book have judged, from the lines in `file` (host/exercises/evidence.py):
    each is judged again from its evidence. Returns (exercise, verdict) of each that was not taken in before, and what
    is wrong with damaged lines. Raises if the file cannot be read."""
    known, taken, damaged = cases.exercises(), [], []
    for verdict in evidence.verdicts_on_file(file):
        id, word = verdict["exercise"], verdict["verdict"]
        checks = hashlib.sha256(json.dumps(verdict["checks"]).encode()).hexdigest()
        if id not in known or any(check["id"] == WHOLE for check in verdict["checks"]):
            damaged += verdict["reasons"]
        elif all(event.get("page") != checks for event in progress.events(id)):
            progress.add({"exercise": id, "verdict": word, "page": checks})
            taken.append((id, word))
    return taken, damaged


def listing() -> list[dict]:
    """Every case with its exercises and how the reader stands with each."""
    fetch_progress()
    return [
        {
            "case": case.name,
            "title": case.title,
            "exercises": [
                {"exercise": exercise.id, "title": exercise.title, "state": _state(exercise.id)}
                for exercise in case.exercises
            ],
        }
        for case in cases.cases().values()
    ]


def _state(id: str) -> str:
    events = progress.events(id)
    if any(event.get("verdict") == "PASS" for event in events):
        return "passed"
    tries = sum(event.get("verdict") == "FAIL" for event in events)  # others say nothing of the answer
    hints = max((event.get("hint", 0) for event in events), default=0)
    words = [
        f"{tries} tried" if tries else "",
        f"{hints} hints" if hints else "",
        "solution seen" if any("solution" in event for event in events) else "",
    ]
    return ", ".join(word for word in words if word) or "open"
