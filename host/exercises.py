"""How is an answer judged, and how much is told? The judging is done in a throwaway guest; what is
told (hints, the solution) depends on what this reader did before."""

import json
import shlex
import subprocess
from pathlib import Path

from host import cases, progress, vm
from host.phases import USAGE, LabError
from host.ssh import module_command

VERDICTS = {"PASS": 0, "FAIL": 1, "SKIP": 3}
LARGEST_ANSWER_BYTES = 1 << 20
OUR_FAULT = 70  # fork_server.py's status for an exception that nobody caught
DEADLINE_S = 180  # a judge bounds what it runs; this is for a guest that an answer has broken


def check(id: str, file: Path) -> dict:
    """Judge the answer in `file`: {"exercise", "verdict", "reasons", …}, noted in the progress."""
    exercise = cases.exercise(id)
    answer, notes = _read(file, exercise)
    verdict = _judge(exercise, answer)
    verdict["reasons"] = notes + verdict["reasons"]
    progress.add({"exercise": id, "verdict": verdict["verdict"]})
    return verdict


def _read(file: Path, exercise: cases.Exercise) -> tuple[str, list[str]]:
    """The text of an answer, and what had to be changed to judge it."""
    begin = shlex.join(["cp", str(exercise.start), f"answer{exercise.suffix}"]) + "  (to begin with)"
    try:
        if file.exists() and not file.is_file():
            raise LabError(f"{file} is no file", begin, USAGE)
        with open(file, "rb") as opened:
            raw = opened.read(LARGEST_ANSWER_BYTES + 1)
    except OSError as error:
        raise LabError(f"cannot read {file}: {error.strerror}", begin, USAGE) from error
    if len(raw) > LARGEST_ANSWER_BYTES:
        raise LabError(f"{file} is larger than {LARGEST_ANSWER_BYTES} bytes", begin, USAGE)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise LabError(f"{file} is no UTF-8 text (byte {error.start})", begin, USAGE) from error
    if "\r\n" in text:
        return text.replace("\r\n", "\n"), ["note: the file has CRLF line ends; judged with LF"]
    return text, []


def _judge(exercise: cases.Exercise, answer: str) -> dict:
    case = cases.case(exercise.id.partition("/")[0])
    with vm.throwaway(case.profile) as guest:
        command = module_command("labs", "check", exercise.id, "--json")
        try:
            result = guest.connection.run(
                command, input=answer, capture_output=True, text=True, timeout=DEADLINE_S
            )
        except subprocess.TimeoutExpired:
            return _broken(exercise, f"the guest gave no verdict in {DEADLINE_S} s")
        if not guest.alive():
            return _broken(exercise, "the guest died while the answer ran")
    try:
        return json.loads(result.stdout)
    except ValueError:
        said = "; ".join((result.stderr or result.stdout).strip().splitlines()[-3:])
        if result.returncode == OUR_FAULT:
            return _broken(exercise, f"the judge itself failed, which says nothing of the answer ({said})", "SKIP")
        return _broken(exercise, f"the judge was ended before its verdict ({said or 'no word'})")


def _broken(exercise: cases.Exercise, why: str, verdict: str = "FAIL") -> dict:
    return {"exercise": exercise.id, "verdict": verdict, "reasons": [why]}


def hint(id: str) -> tuple[str, int, int]:
    """The next hint, its number and how many there are; the last one again when all are told."""
    exercise = cases.exercise(id)
    told = sum("hint" in event for event in progress.events(id))
    number = min(told + 1, len(exercise.hints))
    progress.add({"exercise": id, "hint": number})
    return exercise.hints[number - 1], number, len(exercise.hints)


def solution(id: str) -> str:
    """The solution's file, which begins with why it works. Asking for it is noted."""
    exercise = cases.exercise(id)
    progress.add({"exercise": id, "solution": True})
    return exercise.solution.read_text()


def fetch_progress() -> None:
    """Take over what was judged in notebooks, if the reader's guest is up."""
    guest = vm.standing()
    if guest:
        progress.fetch(guest.connection)


def listing() -> list[dict]:
    """Every case with its exercises and how the reader stands with each."""
    fetch_progress()
    return [
        {
            "case": case.name, "title": case.title,
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
    tries = sum("verdict" in event for event in events)
    hints = max((event.get("hint", 0) for event in events), default=0)
    words = [f"{tries} tried" if tries else "", f"{hints} hints" if hints else "",
             "solution seen" if any("solution" in event for event in events) else ""]
    return ", ".join(word for word in words if word) or "open"
