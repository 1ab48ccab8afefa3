"""What did the notebooks show, where and when? Run in a pristine guest, stored with provenance."""

import asyncio
import datetime
import json
import os
import subprocess
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

from host import cases, jupyter, pairs, snapshot, vm
from host.acceleration import acceleration, qemu_version
from host.image import image
from host.paths import REPOSITORY
from host.phases import LabError, phase
from host.preview import side_by_side
from host.ssh import module_command

RECORDINGS = REPOSITORY / "book" / "_recordings"
CELL_DEADLINE_S = 300


def record(names: list[str]) -> None:
    """Record these cases (all, if none is named): the notebook and the data behind the pages."""
    for name in names or cases.cases():
        case = cases.case(name)
        snapshot.snapshot(case.profile)
        origin = provenance()
        with phase(f"{name}: recording its data"):
            data = _data(case)
        text = pairs.NOTEBOOKS / f"{name}.md"
        with phase(f"{name}: running its notebook in a pristine guest") as progress:
            notebook = execute(text, progress)
        _store(name, data, origin)
        notebook.metadata["where_packets_wait"] = origin
        aside = text.with_suffix(".ipynb.part")
        nbformat.write(notebook, aside)
        aside.replace(text.with_suffix(".ipynb"))


def provenance() -> dict[str, str]:
    """Where an output comes from; every recorded output carries this."""
    disk = image()
    commit = subprocess.run(
        ["git", "-C", REPOSITORY, "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*"],
        capture_output=True, text=True,
    )
    return {
        "kernel": disk.release,
        "kernel_package": disk.kernel_version,
        "qemu": qemu_version(),
        "acceleration": acceleration(disk).name,
        "date": datetime.date.today().isoformat(),
        "commit": commit.stdout.strip() or "uncommitted",
    }


def _data(case: cases.Case) -> dict:
    """What `labs record CASE` prints in a guest of its own: run, trace, and figures as HTML."""
    with vm.throwaway(case.profile) as guest:
        result = guest.connection.run(
            module_command("labs", "record", case.name), capture_output=True, text=True
        )
    try:
        return json.loads(result.stdout)
    except ValueError:
        raise LabError(
            f"{case.name}: nothing was recorded (exit {result.returncode})\n{result.stderr[-2000:]}",
            f"./lab run {case.name}",
        ) from None


def _store(name: str, data: dict, origin: dict[str, str]) -> None:
    folder = RECORDINGS / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.html"):
        old.unlink()
    figures = data.pop("figures")
    for figure, html in figures.items():
        (folder / f"{figure}.html").write_text(html + "\n")
    picture = side_by_side([figures[figure] for figure in cases.case(name).preview])
    (RECORDINGS / f"{name}.svg").write_text(picture)
    file = RECORDINGS / f"{name}.json"
    file.write_text(json.dumps({"provenance": origin, **data}, indent=1, sort_keys=True) + "\n")


def execute(text: Path, progress=lambda words: None) -> nbformat.NotebookNode:
    """Run every cell of a notebook's text in a pristine guest; raises at the first that fails."""
    notebook = pairs.fresh(text)
    notebook.metadata["kernelspec"] = {
        "name": jupyter.kernel_name(cases.case(text.stem).profile),
        "display_name": "Lab VM (root)", "language": "python",
    }
    done = 0

    def count(cell, cell_index, **_):
        nonlocal done
        done += 1
        progress(f"cell {done}, {cell_index + 1} of {len(notebook.cells)}")

    client = NotebookClient(
        notebook, timeout=CELL_DEADLINE_S, kernel_name=notebook.metadata["kernelspec"]["name"],
        record_timing=False, on_cell_start=count, startup_timeout=120,
    )
    environment = {**jupyter.environment(), "LAB_FRESH_GUEST": "1"}
    os.environ["JUPYTER_PATH"] = environment["JUPYTER_PATH"]
    try:
        asyncio.run(client.async_execute(env=environment))
    except CellExecutionError as error:
        raise LabError(f"{text.name}: a cell failed\n{error}", "./lab start, then that cell") from error
    except DeadKernelError as error:
        raise LabError(f"{text.name}: the kernel died", "./lab doctor") from error
    return notebook
