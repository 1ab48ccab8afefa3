"""How are the recorded versions moved to what Debian's archive has now? All at once: images are built of the newest
packages, the pins are written, and each case is recorded with them. It is one change, to be read and committed."""

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from core import cases
from host.debian import pins, source
from host.errors import LabError
from host.paths import REPOSITORY, cache
from host.phases import say
from host.recording import record
from host.vm import image

Tables = dict[str, dict[str, str]]


def update() -> tuple[list[str], list[str]]:
    """Move the pins and record every case; returns a line for each version that moved, and for each case that could not
    be recorded."""
    if others := _uncommitted():
        raise LabError(f"update: expected a checkout without changes, found those of {others}", "git stash")
    before, now = _recorded(), _newest()
    moved = list(_moved(before, now))
    if not moved:
        return [], []
    pins.write(now)
    say(f"pins: {len(moved)} versions moved; now each case is recorded with them")
    return moved, [refusal for name in cases.cases() if (refusal := _recorded_anew(name))]


def _recorded_anew(name: str) -> str:
    """Record this case; returns why not, if it cannot be."""
    try:
        record.record([name])
    except LabError as error:
        return f"{name}: not recorded with these versions: {error}"
    return ""


def _newest() -> Tables:
    """What the archive has now: the packages of guests that are built of it, and of the sources what goes with them."""
    guests = {linux: image.newest(linux) for linux in image.kernels()}
    tables: Tables = {"guest": guests[image.the_books()].packages}
    for linux, guest in guests.items():
        if not linux.is_the_books:
            tables[f"guest{linux.suffix}"] = dict(guest.packages.items() - tables["guest"].items())
    sources = {f"linux-source-{linux.name}": guest.kernel_version for linux, guest in guests.items()}
    with tempfile.TemporaryDirectory(dir=cache()) as folder:
        return {**tables, "source": {**sources, "qemu": source.newest("qemu", Path(folder))}}


def _recorded() -> Tables:
    """What was recorded, in the same tables."""
    others = [f"guest{linux.suffix}" for linux in image.kernels() if not linux.is_the_books]
    return {table: pins.recorded(table) for table in ("guest", *others, "source")}


def _moved(before: Tables, now: Tables) -> Iterator[str]:
    """A line for each package that has another version, has come or is gone."""
    for table in now:
        for name in sorted(before[table].keys() | now[table].keys()):
            was, is_now = (versions[table].get(name, "none") for versions in (before, now))
            if was != is_now:
                yield f"{table}: {name} {was} -> {is_now}"


def _uncommitted() -> str:
    """The files that differ from the last commit."""
    differing = ["git", "-C", str(REPOSITORY), "diff", "--name-only", "HEAD"]
    return " ".join(subprocess.run(differing, capture_output=True, text=True).stdout.split())
