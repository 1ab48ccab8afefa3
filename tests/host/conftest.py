"""What tests of several rooms share: an archive of a few packages, in Debian's place, and a package of Python's."""

import hashlib
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from host.debian import archive

CONTROL = "Package: {}\nVersion: {}\nArchitecture: all\nMaintainer: A <a@example.org>\nDescription: small\n"
INDICES = {"Packages": ["dpkg-scanpackages", "-m", "."], "Sources": ["dpkg-scansources", "."]}


@pytest.fixture
def archive_of(monkeypatch):
    """archive_of(("small", "1.0", {"usr/file": b"text"})) is what LAB_ARCHIVE names from now on: a flat repository of
    these packages alone, with these files, and of the source packages that lie in the folder that this returns."""
    archive.need("dpkg-source")
    # It is another user that reads there, in a user namespace.
    folder = Path(tempfile.mkdtemp(prefix="archive-", dir=archive.unpacks_in()))
    folder.chmod(0o755)
    (folder / "sources.list").write_text(f"deb [trusted=yes] copy:{folder} ./\n")
    monkeypatch.setenv("LAB_ARCHIVE", str(folder / "sources.list"))

    def of(*packages: tuple[str, str, dict[str, bytes]]) -> Path:
        for old in folder.glob("*.deb"):
            old.unlink()
        for number, (name, version, files) in enumerate(packages):
            root = folder / f"root-{number}"
            for path, content in {"DEBIAN/control": CONTROL.format(name, version).encode(), **files}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_bytes(content)
            building = ["dpkg-deb", "--root-owner-group", "-b", root, folder / f"{number}.deb"]
            subprocess.run(building, check=True, capture_output=True)
            shutil.rmtree(root)
        for index, scan in INDICES.items():
            scanned = subprocess.run(scan, cwd=folder, check=True, capture_output=True)
            (folder / index).write_bytes(scanned.stdout)
        return folder

    yield of
    shutil.rmtree(folder)


@pytest.fixture
def wheel() -> Callable[[Path, str], str]:
    """wheel(folder, name) makes one with an empty module, and returns the line of requirements.txt that names it."""

    def made(folder: Path, name: str) -> str:
        file, described = folder / f"{name}-1.0-py3-none-any.whl", f"{name}-1.0.dist-info"
        contents = {
            f"{name}.py": "",
            f"{described}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
            f"{described}/WHEEL": "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        with zipfile.ZipFile(file, "w") as zipped:
            for path, text in contents.items():
                zipped.writestr(path, text)
            zipped.writestr(f"{described}/RECORD", "".join(f"{path},,\n" for path in contents))
        return f"{name}==1.0 \\\n    --hash=sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}\n    # via us\n"

    return made
