"""The evidence of known answers, as it was taken in a guest; judged in each gate, without one.

Made by REMAKE, which judges each known answer of a case, or of an exercise, in a VM. It is stale when the answer's
text, what it may act on or the schema has changed; a task, a hint, a start file or which check an answer is to fail can
be said better without taking anything anew. Captures' own files are left out: nothing is judged by them.
"""

import fnmatch
import hashlib
import json
import lzma
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from core import cases
from core.cases import Exercise
from core.judge.evidence import Evidence, of_kind
from core.judge.evidence import read as from_file
from core.judge.verdict import Verdict
from host.paths import REPOSITORY
from labs.judge.judging import judge_of

REMAKE = "KEEP_EVIDENCE=1 ./lab test -- tests/vm/test_exercises.py -k CASE"
READ = ("allowed", "applies", "may_change", "replaces", "unit")  # of exercise.toml, by whoever takes or judges evidence
FOLDER = REPOSITORY / "tests" / "evidence"
EXPECT = re.compile(r"\A(#|//) expect: (.+)")
EXERCISES = {each.id: each for case in cases.cases().values() for each in case.exercises}


def answers() -> Iterator[tuple[Exercise, str, Path]]:
    """Each known answer, with its kind: the "untouched" file, a "solution" or a "wrong" one; its exercise's first of a
    kind before the others."""
    for exercise in EXERCISES.values():
        yield exercise, "untouched", exercise.start
        for kind, folder in (("solution", "solutions"), ("wrong", "wrong")):
            yield from ((exercise, kind, path) for path in sorted((exercise.folder / folder).iterdir()))


def deserves(verdict: Verdict | dict, kind: str, answer: Path) -> bool:
    """Whether a known answer has got the verdict that it has to get. A wrong one fails the check whose id its first
    line names; of those about what is drawn one, "within-mss-*"."""
    found = verdict if isinstance(verdict, dict) else verdict.to_json()
    if kind == "solution":
        return found["verdict"] == "PASS" and not failed(found)
    id = EXPECT.match(answer.read_text())[2] if kind == "wrong" else "answered"
    return found["verdict"] == "FAIL" and bool(fnmatch.filter(failed(found), id))


def failed(verdict: Verdict | dict) -> list[str]:
    """The ids of the checks that did not pass."""
    found = verdict if isinstance(verdict, dict) else verdict.to_json()
    return [check["id"] for check in found["checks"] if not check["passed"]]


def unnamed(answer: str) -> str:
    """An answer's text without the id in its first line, a comment that nothing reads which is seen of the answer. In
    evidence stands what was there when that was taken."""
    return EXPECT.sub(r"\1 expect:", answer)


def file(exercise: Exercise, kind: str, answer: Path) -> Path:
    """Where that of this answer is."""
    return FOLDER / exercise.id / f"{kind}-{answer.stem}.json.xz"


def store(where: Path, exercise: Exercise, evidence: dict) -> None:
    """Keep it; two calls with the same evidence give the same bytes."""
    where.parent.mkdir(parents=True, exist_ok=True)
    found = {"read_sha256": read(exercise), "evidence": without_captures(evidence)}
    text = json.dumps(found, sort_keys=True, separators=(",", ":"))
    where.write_bytes(lzma.compress(text.encode(), preset=9))


def load(where: Path) -> dict:
    """{"read_sha256", "evidence"}"""
    return json.loads(lzma.decompress(where.read_bytes()))


def known(id: str, kind: str, stem: str) -> Evidence:
    """The evidence of a known answer, for a test to change in it what a slow machine does."""
    found = load(FOLDER / id / f"{kind}-{stem}.json.xz")["evidence"]
    return of_kind(judge_of(EXERCISES[id]).seen, from_file(json.dumps(found).encode()))


def read(exercise: Exercise) -> str:
    """A hash of what an answer's evidence depends on, beside the answer and the code."""
    found = tomllib.loads((exercise.folder / "exercise.toml").read_text())
    text = json.dumps({name: found.get(name) for name in READ}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def without_captures(value: object) -> object:
    """Without what is called pcap, wherever it is, and without times, which differ each time."""
    if isinstance(value, dict):
        return {key: without_captures(each) for key, each in value.items() if key not in ("pcap", "spent_s")}
    return [without_captures(each) for each in value] if isinstance(value, list) else value
