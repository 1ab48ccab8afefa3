"""How often does a case reproduce, beside a busy machine, and how often with its fault off? Counted, and kept for the
book, whatever comes: how many runs there are is fixed beforehand."""

import contextlib
import json
import re
import subprocess
from collections.abc import Iterator

from core import cases
from core.statuses import OUTCOMES, Status
from core.summary import five_numbers
from host.errors import LabError
from host.phases import phase
from host.recording import record
from host.vm import guests
from host.vm.call import call_json

TIMES = 20
FILE = "repeats.json"


class NotTried(LabError):
    """A case could not be tried: its machine lacks what the case takes."""


def of(name: str, times: int = TIMES) -> dict:
    """The case's runs as it is, and as many with its fault off, beside an endless loop on another processor: what
    `figure` is, and of either kind how many there were of each outcome, the figures and their distribution; and where
    they come from, as it was before the first."""
    case = cases.case(name)
    origin = record.provenance(case.profile)
    with busy(), guests.throwaway(case.profile) as guest:
        fault, figure = counted(guest, case, times, {})
        off, _ = counted(guest, case, times, case.fault_off)
    return {"provenance": origin, "figure": figure, "times": times, "fault": fault, "fault_off": off}


def store(name: str, found: dict) -> None:
    """Keep what was found of this case beside that of the others, each with where it comes from; all of them with the
    ordinary QEMU, and the date and commit of the last."""
    kept = record.RECORDINGS / FILE
    known = json.loads(kept.read_text()) if kept.exists() else {}
    known.pop("provenance", None)
    of_last = {word: found["provenance"][word] for word in ("date", "commit")}
    record.store_data("repeats", {**known, key(name): found}, record.provenance() | of_last)


def key(name: str) -> str:
    """A case's name, an outcome's or a kernel's, in a path that a page quotes."""
    return re.sub("[-. ]", "_", name)


def show(name: str, found: dict) -> str:
    """Text for a person."""
    lines = [f"{name}, {found['times']} runs each, beside a busy loop"]
    for kind, said in (("fault", "as it is"), ("fault_off", "fault off")):
        counts = ", ".join(f"{word} {found[kind][key(word)]}" for word in OUTCOMES.values())
        lines.append(f"  {said}: {counts}")
    if spread := found["fault"].get("spread"):
        numbers = ", ".join(f"{word} {number:.1f}" for word, number in spread.items())
        lines += [f"  {found['figure']}:", f"    {numbers}"]
    return "\n".join(lines)


def counted(guest, case: cases.Case, times: int, changed: dict[str, int]) -> tuple[dict, str]:
    """So many runs with these settings: how many of each outcome, the figures and their spread; and what `figure` is.
    Raises LabError for a run that is cut short, NotTried for what cannot be run there."""
    words = [word for name, value in changed.items() for word in ("--set", f"{name}={value}")]
    counts, figures, figure = {key(word): 0 for word in OUTCOMES.values()}, [], ""
    with phase(f"{case.name}: {times} runs{' with its fault off' * bool(changed)}") as progress:
        for number in range(1, times + 1):
            progress(f"{number} of {times}, {', '.join(f'{word} {count}' for word, count in counts.items())}")
            result = call_json(guest, "labs", "run", case.name, "--json", "--rounds", "1", *words)
            if result.why:
                raise LabError(f"{case.name}: run {number} was cut short: {result.why}\n{result.said}", "./lab doctor")
            if result.status == Status.COULD_NOT:
                raise NotTried(result.found["reasons"][0], result.found["next"], Status.COULD_NOT)
            for word, count in result.found["counts"].items():
                counts[key(word)] += count
            figures += result.found["figures"]
            figure = figure or result.found["figure"]
    return {**counts, "figures": figures, **({"spread": five_numbers(figures)} if figures else {})}, figure


@contextlib.contextmanager
def busy() -> Iterator[None]:
    """A process that does nothing and never waits; it ends with us."""
    loop = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "sh", "-c", "while :; do :; done"])
    try:
        yield
    finally:
        loop.kill()
        loop.wait()
