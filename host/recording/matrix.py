"""Which case happens on which kernel? Each on each that vm-image/kernels has a recipe of: its runs, as many with its
fault off, its traced stacks, and what else it wants to be looked at; kept for the book, whatever comes."""

import json
from collections.abc import Sequence
from typing import Any

from core import cases
from core.statuses import OUTCOMES, Status
from host.errors import LabError
from host.phases import phase
from host.recording import record, repeats
from host.vm import guests, image
from host.vm.call import call_json
from host.vm.profile import on

ROUNDS = 10
NAME = "kernels"


def found(kernels: Sequence[image.Kernel] = (), rounds: int = ROUNDS) -> dict[str, Any]:
    """By the kernel, of these or of all: its provenance, how many rounds there were, and by the case what `of` says."""
    return {name(linux): _on(linux, rounds) for linux in kernels or image.kernels()}


def name(linux: image.Kernel) -> str:
    """A kernel's key in the recording: linux_6_12."""
    return repeats.key(f"linux-{linux.name}")


def store(matrix: dict[str, Any]) -> None:
    """Keep it for the pages beside what is kept of other kernels, each with its own provenance; that of the whole is
    the book's kernel's, or else the last one's."""
    kept = record.RECORDINGS / f"{NAME}.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    known = {**known, **matrix}
    known.pop("provenance", None)
    of_all = known.get(name(image.the_books())) or list(known.values())[-1]
    record.store_data(NAME, known, of_all["provenance"])


def _on(linux: image.Kernel, rounds: int) -> dict[str, Any]:
    origin = record.provenance(on("stock", linux))
    seen = {repeats.key(case.name): of(case, linux, rounds) for case in cases.cases().values()}
    return {"provenance": origin, "rounds": rounds, **seen}


def of(case: cases.Case, linux: image.Kernel, rounds: int) -> dict[str, Any]:
    """One case on one kernel: `fault` and `fault_off` as host/recording/repeats.py counts them, `traced`, and what its
    modules `also` say; or why it could not be tried (`not_tried`)."""
    with guests.throwaway(on(case.profile, linux)) as guest:
        seen: dict[str, Any] = {}
        try:
            fault, figure = repeats.counted(guest, case, rounds, {})
            off, _ = repeats.counted(guest, case, rounds, case.fault_off)
            seen = {"figure": figure, "fault": fault, "fault_off": off, "traced": _traced(guest, case)}
        except repeats.NotTried as reason:
            seen = {"not_tried": reason.message}
        for module in case.also:
            with phase(f"{case.name}: {module}"):
                result = call_json(guest, f"labs.cases.{case.folder.name}.{module}")
            if result.why:
                raise LabError(f"{case.name}, {module}: {result.why}\n{result.said}", "./lab doctor")
            seen[module] = result.found
    return seen


def _traced(guest, case: cases.Case) -> dict[str, Any]:
    """The outcome of its trace, and of each stack which frames are there, and how: {"told": "state"}."""
    with phase(f"{case.name}: traced"):
        result = call_json(guest, "labs", "trace", case.name, "--json")
    if result.why:
        raise LabError(f"{case.name}: the trace was cut short: {result.why}\n{result.said}", "./lab doctor")
    if result.status == Status.COULD_NOT:
        return {"outcome": "could not be tried", "reasons": result.found["reasons"], "stacks": {}}
    stacks = {
        each["story"]: {"ok": each["ok"], "frames": {row["told"]: row["state"] for row in each["rows"] if row["told"]}}
        for each in result.found["stacks"]
    }
    as_expected = sum(each["ok"] for each in stacks.values())
    return {"outcome": result.found["outcome"], "as_expected": as_expected, "of": len(stacks), "stacks": stacks}


def show(matrix: dict[str, Any]) -> str:
    """A table for a person: what came of each case on each kernel."""
    lines = []
    for linux in [each for each in image.kernels() if name(each) in matrix]:
        here = matrix[name(linux)]
        lines.append(f"Linux {here['provenance']['kernel_package']} ({linux.title})")
        for case in cases.cases().values():
            seen = here[repeats.key(case.name)]
            lines += [f"  {case.name}: {_said(seen)}"]
    return "\n".join(lines)


def _said(seen: dict[str, Any]) -> str:
    if "not_tried" in seen:
        return f"could not be tried: {seen['not_tried']}"
    counts = {kind: _counts(seen[kind]) for kind in ("fault", "fault_off")}
    traced = f"stacks {seen['traced'].get('as_expected', 0)} of {seen['traced'].get('of', 0)}"
    return f"{counts['fault']}; fault off: {counts['fault_off']}; {traced}"


def _counts(kind: dict[str, Any]) -> str:
    return ", ".join(f"{word} {kind[repeats.key(word)]}" for word in OUTCOMES.values() if kind[repeats.key(word)])
