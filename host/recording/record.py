"""What did the notebooks and cases show, where and when? Run in a pristine guest, stored with provenance."""

import asyncio
import datetime
import json
import re
import shutil
import subprocess
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

from core import cases
from core.draw import figures
from core.files import write_whole
from host import chromium
from host.errors import LabError
from host.notebook import jupyter, pairs
from host.paths import REPOSITORY
from host.phases import phase
from host.recording import artifacts, conclusions
from host.site.preview import card, side_by_side
from host.vm import guests, machine, snapshot
from host.vm.acceleration import qemu_version
from host.vm.call import call_json

RECORDINGS = REPOSITORY / "book" / "_recordings"
WRITTEN = ("book/_recordings", "notebooks/*.ipynb", "vm-image/pins.toml")  # by ./lab itself, as paths of git's
CELL_DEADLINE_S = 900


def record(names: list[str]) -> None:
    """Record these cases (all, if none is named): the notebook and the data behind the pages."""
    chromium.need()
    for name in names or cases.cases():
        case = cases.case(name)
        snapshot.snapshot(case.profile)
        origin = provenance(case.profile)
        with phase(f"{name}: recording its data"):
            data = _data(case)
        hold(name, data)
        text = pairs.NOTEBOOKS / f"{name}.md"
        with phase(f"{name}: running its notebook in a pristine guest") as progress:
            notebook = execute(text, progress)
        _store(name, data, origin)
        notebook.metadata["where_packets_wait"] = origin
        write_whole(text.with_suffix(".ipynb"), nbformat.writes(notebook) + "\n")
        draw(name)  # `./lab record --draw` repeats it


def provenance(profile_name: str = "stock") -> dict[str, str]:
    """Where an output comes from; every recorded output carries this."""
    ours, disk, how = snapshot.machine_setup(profile_name)
    own_qemu = f" with vm-image/qemu/{ours.recipe}" if ours.recipe else ""
    return {
        "kernel": disk.release,
        "kernel_package": disk.kernel_version,
        "qemu": qemu_version(ours.qemu) + own_qemu,
        "acceleration": how.name,
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
    }


def commit() -> str:
    """What the checkout stands at. What `./lab record` or `./lab test` itself writes does not make it "-dirty"."""
    at = _git("rev-parse", "--short=12", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", *(f":!{path}" for path in WRITTEN))
    return at + "-dirty" * bool(changed) if at else "uncommitted"


def _git(*words: str) -> str:
    return subprocess.run(["git", "-C", REPOSITORY, *words], capture_output=True, text=True).stdout.strip()


def _data(case: cases.Case) -> dict:
    """What `labs record CASE` prints in a guest of its own: run, trace, and figures as data."""
    with guests.throwaway(case.profile) as guest:
        result = call_json(guest, "labs", "record", case.name)
        said = result.said or f"the guest's console ends:\n{machine.last_words(guest)}"
    if result.why:
        raise LabError(
            f"{case.name}: nothing was recorded (exit {result.status}): {result.why}\n{said}", f"./lab run {case.name}"
        )
    return result.found


def hold(name: str, data: dict) -> None:
    """Raise if these data lead to other conclusions than the book draws; nothing is stored then."""
    file = RECORDINGS / f"{name}.conclusions.py"
    if not file.exists():
        raise LabError(
            f"{name}: expected the conclusions that a recording must lead to in {file.name}, found no such file",
            "see book/_recordings/frag-needed.conclusions.py and host/recording/conclusions.py",
        )
    of_all = [RECORDINGS / "looks.conclusions.py"] if name in cases.cases() else []
    if changed := [fault for each in [file, *of_all] for fault in conclusions.changed(each, data)]:
        reasons = [reason for part in ("run", "trace") for reason in data.get(part, {}).get("reasons", [])]
        changed += [reason.removeprefix("no ") for reason in reasons if reason.startswith("no ")]
        raise LabError(
            f"{name}: figures may change from machine to machine, conclusions may not. These did, "
            "so nothing was stored:\n" + "\n".join(f"- {each}" for each in changed),
            f"./lab run {name}, to see it again; if it is so, the page and {file.name} are wrong",
        )


def _store(name: str, data: dict, origin: dict[str, str]) -> None:
    """Keep figures and files beside each other, all of them or none, and the data."""
    files = artifacts.files(name, data)
    folder = RECORDINGS / f"{name}.part"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file, raw in files.items():
        (folder / file).write_bytes(raw)
    shutil.rmtree(RECORDINGS / name, ignore_errors=True)
    folder.rename(RECORDINGS / name)
    store_data(name, data, origin)


def store_data(name: str, data: dict, origin: dict[str, str]) -> None:
    """Keep plain data with their provenance, for the pages' numbers."""
    file = RECORDINGS / f"{name}.json"
    file.write_text(json.dumps({"provenance": origin, **data}, indent=1, sort_keys=True) + "\n")


def draw_all(names: list[str]) -> None:
    """Draw the preview of these cases, or of all that were recorded."""
    chromium.need()
    for name in names or [case for case in cases.cases() if (RECORDINGS / f"{case}.json").exists()]:
        draw(name)


def draw(name: str) -> None:
    """Draw the pictures that stand for a recorded case outside the site, from its stored figures."""
    case = cases.case(name)
    stored = [(RECORDINGS / name / f"{each}{figures.SUFFIX}").read_text("utf-8") for each in case.preview]
    picture = side_by_side([figures.draw(json.loads(each)) for each in stored])
    (RECORDINGS / f"{name}.svg").write_text(picture)
    (RECORDINGS / f"{name}.png").write_bytes(card(case.title, picture))


def execute(text: Path, progress=lambda words: None) -> nbformat.NotebookNode:
    """Run every cell of a notebook's text in a pristine guest; raises at the first that fails."""
    notebook = jupyter.fresh(cases.case(text.stem))
    done = 0

    def count(cell, cell_index, **_):
        nonlocal done
        done += 1
        progress(f"cell {done}, {cell_index + 1} of {len(notebook.cells)}")

    client = NotebookClient(
        notebook,
        timeout=CELL_DEADLINE_S,
        kernel_name=notebook.metadata["kernelspec"]["name"],
        record_timing=False,
        on_cell_start=count,
        startup_timeout=120,
    )
    try:
        asyncio.run(client.async_execute(env=jupyter.in_fresh_guest()))
    except CellExecutionError as error:
        said = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # a traceback in IPython's colours
        raise LabError(f"{text.name}: a cell failed\n{said}", "./lab start, then that cell") from error
    except (DeadKernelError, AssertionError) as error:
        # nbclient cleans up after a dead kernel twice, and its assertion is then what reaches us.
        if DeadKernelError not in (type(error), type(error.__context__)):
            raise
        raise LabError(
            f"{text.name}: the kernel died, in cell {done} of {len(notebook.cells)}", "./lab doctor"
        ) from error
    return notebook
