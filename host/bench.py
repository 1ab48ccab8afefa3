"""How long does the reader wait? Medians of five on this machine, with the acceleration named.

`./lab bench --record` stores them as book/_recordings/bench.json, from which the book takes them, and
writes the same into README.md, between two marks.
"""

import contextlib
import json
import os
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from core import cases
from core.protocol import STEPS
from core.statuses import Status
from host import paths
from host.bundle import first_start, write
from host.debian import installed, source
from host.errors import LabError
from host.exercises import device, judging
from host.notebook import jupyter, pairs
from host.phases import phase
from host.recording import conclusions, record, repeats
from host.tab import page_timing, state
from host.vm import guests, machine, qemu, snapshot
from host.vm.acceleration import qemu_version

SITE = paths.REPOSITORY / "_build" / "html"
RUNS = 5
PROFILES = ("stock", "rtl8139")  # of the guests that it times
ONCE = {"first_start_s", "bundle_start_s", "qemu_build_s"}  # minutes
COUNTS = {"tab_measured"}  # of the ten runs of two clicks in each round
# What each figure should stay under on two cores without KVM (seconds, but for the image).
GOALS = {
    "first_start_s": 150.0,
    "bundle_start_s": 45.0,
    "snapshot_to_shell_s": 0.8,
    "kernel_to_cell_s": 2.0,
    "cold_boot_s": 8.0,
    "tracers_attached_s": 0.4,
    "run_frag_needed_s": 4.0,
    "run_rtl8139_tso_s": 8.0,
    "run_splice_push_s": 8.0,
    "run_addr_select_s": 15.0,
    "three_cells_s": 3.0,
    "reset_and_shell_s": 1.3,
    "check_right_s": 6.0,
    "check_wrong_s": 4.0,
    "book_s": 40.0,
    "qemu_build_s": 300.0,
    "device_rebuild_s": 40.0,
    "image_mb": 430.0,
    "tab_first_s": 2.5,
    "tab_again_s": 1.5,
    "tab_traced_s": 3.5,
    "tab_measured": 9,
    "tab_check_s": 6.0,
    "tab_cell_s": 3.0,
    "tab_next_cell_s": 0.5,
    "tab_loads_mb": 20.0,
    "tab_after_mb": 6.0,
}
# What is measured beside one busy loop, too.
BESIDE = ("run_frag_needed_s", "check_right_s", "check_wrong_s", "tab", "tab_check_s")
# What README.md says of each, in its order.
WORDS = {
    "first_start_s": "a first `./lab start`, all of it fetched and built (once)",
    "bundle_start_s": "the same from a bundle (once)",
    "snapshot_to_shell_s": "from the snapshot to a shell's answer",
    "kernel_to_cell_s": "from no VM to a notebook cell's answer",
    "cold_boot_s": "cold boot to a shell's answer (once)",
    "tracers_attached_s": "chapter 1's tracer, its seven probes attached",
    "run_frag_needed_s": "`./lab run frag-needed`, VM included",
    "run_rtl8139_tso_s": "`./lab run rtl8139-tso`",
    "run_splice_push_s": "`./lab run splice-push`",
    "run_addr_select_s": "`./lab run addr-select`",
    "three_cells_s": "the first three cells of chapter 1's notebook, one of which measures",
    "reset_and_shell_s": "`./lab reset` and `./lab shell -- true`",
    "check_right_s": "`./lab check frag-needed/1`, a right answer",
    "check_wrong_s": "the same, a wrong one",
    "book_s": "`./lab book`",
    "qemu_build_s": "chapter 2's QEMU, built from its source (once)",
    "device_rebuild_s": "one device of it compiled anew, for an answer",
    "image_mb": "the VM's disk",
    "tab_first_s": "chapter 1 in a browser's tab, from the first click to its ladder",
    "tab_again_s": "the same once more",
    "tab_traced_s": "the same with the kernel's stacks",
    "tab_measured": "of ten such runs (first and once more), how many the page measured",
    "tab_check_s": "exercise 1 checked on its page, a right answer, all loaded by the click",
    "tab_cell_s": "the first cell of chapter 1's notebook on its page, all loaded by the click",
    "tab_next_cell_s": "`1 + 1` in that cell afterwards",
    "tab_loads_mb": "what the first click loads",
    "tab_after_mb": "what it loads after that: once more, with the stacks",
}
BETWEEN_MARKS = re.compile(r"(?<=<!-- ./lab bench --record -->\n).*?(?=<!-- end -->)", re.DOTALL)


class Untold(Exception):
    """A check that was timed could not tell, so that it says nothing of how long one takes."""


def checks() -> dict[str, dict[str, float]]:
    """Check each exercise's first solution once, and map the exercise to where the seconds went."""
    found = {}
    for exercise in (each for case in cases.cases().values() for each in case.exercises):
        with phase(exercise.id):
            solution = exercise.solution
            found[exercise.id] = judging.judge(exercise, solution.read_text(), solution.name)["took_s"]
    return found


def table(found: dict[str, dict[str, float]]) -> str:
    """A table for a person: a row for each exercise, a column for what its seconds went to."""
    columns = ["wake", "start", *STEPS, "judging", "down"]
    lines = [f"{'seconds':<14}" + "".join(f"{name:>8}" for name in (*columns, "in all"))]
    for id, took in found.items():
        numbers = [*(took.get(name) for name in columns), sum(took.values())]
        lines.append(f"{id:<14}" + "".join(f"{'' if n is None else format(n, '.1f'):>8}" for n in numbers))
    return "\n".join(lines)


def figures() -> dict:
    """Measure everything: {"acceleration", "qemu", "cpus", "figures": {name: {median, runs, goal}}}; what BESIDE
    names has `beside`, too: {median, runs} beside a busy loop.

    In rounds: a machine that others share is slow for a minute, and one figure's runs in a row would
    all fall into it. A run in which it stood still, so that nothing could be told, is None. Raises LabError if that is
    so in half of them, or if a guest of the reader's is up, which would be reset.
    """
    if up := guests.running_profiles():
        raise LabError(f"a guest of yours is up ({', '.join(up)}), and would be in the way", "./lab down")
    ours, disk, how = snapshot.machine_setup("stock")
    state.state()  # without it the site has no button
    for profile in PROFILES:
        snapshot.anew(profile)  # with an older labs/ in it, each guest would be sent what has changed
    measures: dict[str, Callable[[], float | dict[str, float]]] = {
        "first_start_s": first_start.seconds,
        "bundle_start_s": _bundle_start,
        "snapshot_to_shell_s": _shell,
        "kernel_to_cell_s": _kernel,
        "cold_boot_s": lambda: _cold_boot(ours, disk, how),
        "tracers_attached_s": _tracers,
        "run_frag_needed_s": lambda: _lab("run", "frag-needed"),
        "run_rtl8139_tso_s": lambda: _lab("run", "rtl8139-tso"),
        "run_splice_push_s": lambda: _lab("run", "splice-push"),
        "run_addr_select_s": lambda: _lab("run", "addr-select"),
        "three_cells_s": _three_cells,
        "reset_and_shell_s": _reset_and_shell,
        "check_right_s": lambda: _check("solutions", "PASS"),
        "check_wrong_s": lambda: _check("wrong", "FAIL"),
        "book_s": lambda: _lab("book"),
        "qemu_build_s": _qemu_build,
        "device_rebuild_s": _device_rebuild,
        "tab": _tab,  # of the site that `./lab book` has just built
        "tab_check_s": _tab_check,
        "tab_cells": _tab_cells,
    }
    quiet: dict[str, list[float | None]] = {}
    loaded: dict[str, list[float | None]] = {}
    for number in range(RUNS):
        with phase(f"bench: round {number + 1} of {RUNS}") as progress:
            for name, measure in measures.items():
                if number == 0 or name not in ONCE:
                    progress(name)
                    _keep(quiet, name, measure)
            with repeats.busy():
                for name in BESIDE:
                    progress(f"{name}, beside a busy loop")
                    _keep(loaded, name, measures[name])
    quiet["image_mb"] = [round(disk.disk.stat().st_size / 1e6, 1)]
    found = {name: {"median": median(name, quiet[name]), "runs": quiet[name], "goal": GOALS[name]} for name in GOALS}
    for name in found.keys() & {name for name in loaded if not name.endswith("_mb")}:
        with contextlib.suppress(LabError):  # beside other work it may be that nothing can be told
            found[name]["beside"] = {"median": median(name, loaded[name]), "runs": loaded[name]}
    return {"acceleration": how.name, "qemu": qemu_version(), "cpus": os.cpu_count(), "figures": found}


def _keep(runs: dict[str, list[float | None]], name: str, measure: Callable[[], float | dict[str, float]]) -> None:
    """One run of a measure, and its figures beside those that are there."""
    os.sync()  # what the one before has written is written now, not beside this one
    for figure, value in figures_of(name, measure).items():
        runs.setdefault(figure, []).append(value)


def figures_of(name: str, measure: Callable[[], float | dict[str, float]]) -> dict[str, float | None]:
    """What is measured, by name and to the thousandth; None if a `./lab` that it calls, or a check, could not tell."""
    try:
        found = measure()
    except Untold:
        return {name: None}
    except subprocess.CalledProcessError as error:
        if error.returncode != Status.COULD_NOT_TELL:
            raise
        return {name: None}
    return {each: round(value, 3) for each, value in (found if isinstance(found, dict) else {name: found}).items()}


def median(name: str, runs: list[float | None]) -> float:
    """The median of the runs in which something could be told; of counts, all of them together. Raises LabError if that
    is half of the runs, or fewer."""
    known = [run for run in runs if run is not None]
    if 2 * len(known) <= len(runs):
        reason = f"{name}: nothing could be told in {len(runs) - len(known)} of {len(runs)} runs"
        raise LabError(reason, "./lab bench, on a quiet machine")
    return sum(known) if name in COUNTS else statistics.median(known)


def store(measured: dict) -> None:
    """Keep the figures for the book and for README.md, if the same follows from them as before."""
    if changed := conclusions.changed(record.RECORDINGS / "bench.conclusions.py", measured):
        raise LabError(
            "bench: what the book says of these figures does not follow from them, so nothing was "
            "stored:\n" + "\n".join(f"- {each}" for each in changed),
            "./lab bench, on a quiet machine",
        )
    record.store_data("bench", measured, record.provenance())
    readme = paths.REPOSITORY / "README.md"
    readme.write_text(in_readme(readme.read_text("utf-8"), measured), "utf-8")


def in_readme(text: str, measured: dict) -> str:
    """README.md with these figures between its marks."""
    if not BETWEEN_MARKS.search(text):
        raise LabError(
            "README.md: expected the marks that the table of ./lab bench stands between, found none",
            f"put them back: {BETWEEN_MARKS.pattern}",
        )
    rows = []
    for name, words in WORDS.items():
        figure = measured["figures"][name]
        beside = said(name, figure["beside"]["median"]) if "beside" in figure else ""
        missed = "" if met(name, figure) else ", missed"
        rows.append(f"| {words} | {said(name, figure['median'])} | {beside} | {said(name, figure['goal'])}{missed} |")
    how = "no KVM (TCG, the slow case)" if measured["acceleration"] == "tcg" else measured["acceleration"].upper()
    table = (
        f"Medians of five by `./lab bench` on {measured['cpus']} cores with QEMU {measured['qemu']} and {how}:\n\n"
        "| what | takes | beside a busy loop | goal |\n| --- | --- | --- | --- |\n" + "\n".join(rows) + "\n"
    )
    return BETWEEN_MARKS.sub(lambda _: table, text)


def said(name: str, value: float) -> str:
    """A figure with its unit."""
    if name in COUNTS:
        return f"{value:.0f} of {2 * RUNS}"
    return f"{value:.0f} MB" if name.endswith("_mb") else f"{value:.1f} s"


def met(name: str, figure: dict) -> bool:
    """Whether a figure is within its goal; of counts, beside the busy loop as well."""
    if name in COUNTS:
        return min(figure["median"], figure.get("beside", figure)["median"]) >= figure["goal"]
    return figure["median"] <= figure["goal"]


def show(measured: dict) -> None:
    """The figures as a table for a person."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"QEMU {measured['qemu']}, {measured['acceleration']}, {measured['cpus']} CPUs")
    for column in ("figure", "median", "lowest", "highest", "beside", "goal"):
        table.add_column(column, justify="left" if column == "figure" else "right")
    for name, figure in measured["figures"].items():
        runs = [run for run in figure["runs"] if run is not None]
        beside = f"{figure['beside']['median']:.2f}" if "beside" in figure else ""
        numbers = [f"{n:.2f}" for n in (figure["median"], min(runs), max(runs))]
        table.add_row(name, *numbers, beside, f"{figure['goal']:.2f}{'' if met(name, figure) else ' missed'}")
    Console().print(table)


def _bundle_start() -> float:
    """Time of a first start from a bundle of this checkout."""
    with tempfile.TemporaryDirectory(dir=paths.cache()) as folder:
        bundle = Path(folder) / "bundle"
        write.write(bundle)
        return first_start.seconds(bundle)


def _shell() -> float:
    """Time from the snapshot to a shell's answer over ssh."""
    started = time.monotonic()
    with guests.throwaway() as guest:
        guest.connection.run(["true"], check=True)
        return time.monotonic() - started


def _kernel() -> float:
    """Time from no guest at all to a notebook kernel that has answered a cell."""
    with _notebook() as (run, started):
        run("1 + 1")
        return time.monotonic() - started


def _three_cells() -> float:
    """Time of a notebook's first three cells in a kernel that has answered."""
    cells = [cell.source for cell in pairs.fresh(pairs.NOTEBOOKS / "frag-needed.md").cells if cell.cell_type == "code"]
    with _notebook() as (run, _):
        run("1 + 1")
        started = time.monotonic()
        for cell in cells[:3]:
            run(cell)
        return time.monotonic() - started


@contextlib.contextmanager
def _notebook() -> Iterator[tuple[Callable[[str], None], float]]:
    """A notebook's kernel in a guest of its own, as something that runs a cell, and when it was begun.

    A cell is sent at once and waits in its channel. `start_new_kernel` would send it after a fifth
    of a second of silence (KernelClient.wait_for_ready()), which no reader waits for.
    """
    from jupyter_client.manager import KernelManager

    environment = jupyter.in_fresh_guest()
    manager = KernelManager(kernel_name="lab-vm")
    started = time.monotonic()
    manager.start_kernel(env=environment)
    client = manager.client()
    client.start_channels()

    def run(cell: str) -> None:
        answer = client.execute(cell, reply=True, timeout=120)
        if answer["content"]["status"] != "ok":
            raise LabError(f"a notebook's cell failed: {answer['content'].get('evalue')}", "./lab doctor")

    try:
        yield run, started
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _reset_and_shell() -> float:
    """Time to put the reader's own guest back, and to an answer of its shell."""
    _lab("up", "stock")
    try:
        return _lab("reset", "stock") + _lab("shell", "--", "true")
    finally:
        _lab("down", "stock")


def _cold_boot(ours, disk, how) -> float:
    """Time from QEMU's start to the first answer over ssh, booting as the first start ever does."""
    with tempfile.TemporaryDirectory(dir=paths.cache()) as folder:
        ram = Path(folder) / "ram"
        with open(ram, "wb") as file:
            file.truncate(ours.memory_mib << 20)
        started = time.monotonic()
        guest = snapshot.boot(ours, disk, how, ram, shared=True)
        try:
            machine.wait_for_console(guest, machine.SSHD_LINE, 120)
            machine.wake(guest, 60)
            return time.monotonic() - started
        finally:
            guest.end()


def _tracers() -> float:
    """Time until all of chapter 1's probes are attached, as the guest measures it."""
    result = subprocess.run(
        [paths.REPOSITORY / "lab", "trace", "frag-needed", "--json"], capture_output=True, check=True
    )
    return json.loads(result.stdout)["attach_s"]


def _check(answers: str, verdict: str) -> float:
    """Time until the first of the known answers in that folder of chapter 1's first exercise has its verdict."""
    exercise = cases.exercise("frag-needed/1")
    answer = min((exercise.folder / answers).glob("*.sh"))
    started = time.monotonic()
    found = judging.judge(exercise, answer.read_text(), answer.name)
    took_s = time.monotonic() - started
    return _told(f"{answer}", found["verdict"], verdict, took_s, f"{found.get('reasons')}")


def _told(checked: str, found: str, expected: str, took_s: float, reasons: str = "see the page") -> float:
    """The time of a check with the verdict that was expected. Raises Untold where it could not tell, and LabError."""
    if found == "COULD NOT TELL":
        raise Untold
    if found != expected:
        raise LabError(f"{checked}: {found}, expected {expected}: {reasons}", "./lab doctor")
    return took_s


def _tab() -> dict[str, float]:
    """Chapter 1's page: what each click takes, how many of the first two were measured, and what they load."""
    runs = page_timing.runs(SITE)
    first, again, traced = (runs[mode] for mode in page_timing.MODES)
    return {
        "tab_first_s": first.shown_s,
        "tab_again_s": again.shown_s,
        "tab_traced_s": traced.shown_s,
        "tab_measured": first.measured + again.measured,
        "tab_loads_mb": first.loaded / 1e6,
        "tab_after_mb": (traced.loaded - first.loaded) / 1e6,
    }


def _tab_check() -> float:
    """Chapter 1's first exercise, checked on its page."""
    found, took_s = page_timing.checked(SITE, 1, cases.exercise("frag-needed/1").solution.read_text())
    return _told("exercise 1 on its page", found, "PASS", took_s)


def _tab_cells() -> dict[str, float]:
    """Chapter 1's notebook on its page."""
    first_s, next_s = page_timing.cells_s(SITE)
    return {"tab_cell_s": first_s, "tab_next_cell_s": next_s}


def _qemu_build() -> float:
    """All of chapter 2's QEMU, from its source package in the cache to a program."""
    source.fetched("qemu")
    with tempfile.TemporaryDirectory(dir=paths.cache()) as folder:
        started = time.monotonic()
        qemu.build("rtl8139", Path(folder))
        return time.monotonic() - started


def _device_rebuild() -> float:
    """One device of it compiled anew and the program linked, as for an answer."""
    installed.need(*installed.QEMU_BUILD)
    built = qemu.built("rtl8139")
    replaces, unit = "hw/net/rtl8139-tso.c.inc", "hw/net/rtl8139.c"
    with tempfile.TemporaryDirectory(dir=paths.cache()) as folder:
        started = time.monotonic()
        device.rebuilt(built, replaces, unit, (built.source / replaces).read_text(), "answer.c", Path(folder))
        return time.monotonic() - started


def _lab(*words: str) -> float:
    started = time.monotonic()
    subprocess.run([paths.REPOSITORY / "lab", *words], capture_output=True, check=True)
    return time.monotonic() - started
