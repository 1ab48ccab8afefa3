"""Does a build get the versions that were recorded, the newest where the archive has those no more, and a word then?"""

import json
import subprocess

import pytest

from core import cases
from host.debian import archive, pins, source
from host.paths import REPOSITORY
from host.vm import image

SOURCE = "Source: small\nMaintainer: A <a@example.org>\n\nPackage: small\nArchitecture: all\nDescription: small\n"
CHANGELOG = "small ({}) stable; urgency=low\n\n  * One.\n\n -- A <a@example.org>  Wed, 25 Nov 2026 00:00:00 +0000\n"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """recorded({table: {package: version}}) are the pins."""
    monkeypatch.setattr(pins, "FILE", tmp_path / "pins.toml")
    return pins.write


def installed_version(tmp_path) -> str:
    """Which version of `small` a root file system gets that is made with the pins."""
    hook = f"--extract-hook=download /usr/version {tmp_path / 'version'}"
    options = pins.options(pins.recorded("guest"), tmp_path)
    command = ["mmdebstrap", "--variant=extract", "--format=null", "--include=small", hook, *options]
    done, cause = archive.run([*command, *archive.of("bookworm")])
    assert done, cause
    return (tmp_path / "version").read_text()


def test_the_recorded_version_is_taken_and_the_newest_where_there_is_none(recorded, archive_of, tmp_path):
    recorded({"guest": {"small": "1.0"}})
    old, new = [("small", version, {"usr/version": version.encode()}) for version in ("1.0", "2.0")]
    archive_of(old, new)
    assert installed_version(tmp_path) == "1.0"
    archive_of(new)
    assert installed_version(tmp_path) == "2.0"


def put_source(folder, version: str) -> None:
    """A source package in an archive's folder."""
    texts = {"source/format": "3.0 (native)\n", "control": SOURCE, "changelog": CHANGELOG.format(version)}
    for name, text in texts.items():
        (folder / "tree/debian" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "tree/debian" / name).write_text(text)
    subprocess.run(["dpkg-source", "-b", "tree"], cwd=folder, check=True, capture_output=True)


def test_a_source_is_of_the_recorded_version_or_the_newest_with_a_word(recorded, archive_of, capsys):
    folder = archive_of()
    for version in ("1.0", "2.0"):
        put_source(folder, version)
    archive_of()
    recorded({"source": {"small": "1.0"}})
    assert (source.fetched("small") / "version").read_text() == "1.0"
    assert "recorded" not in capsys.readouterr().err
    recorded({"source": {"small": "1.5"}})  # another key: nobody is left with what another pin got
    assert (source.fetched("small") / "version").read_text() == "2.0"
    assert "not the one that was recorded: small 2.0 in place of 1.5" in capsys.readouterr().err


def test_what_is_written_is_read(recorded):
    tables = {"guest": {"libstdc++6": "12.2.0-14+deb12u1"}, "guest-6.12": {"a.b": "1:2~x"}, "source": {"small": "1"}}
    recorded(tables)
    assert pins.recorded("guest", "guest-6.12") == tables["guest"] | tables["guest-6.12"]
    assert pins.recorded("guest", "guest-of-no-kernel") == tables["guest"] and pins.source("small") == "1"


def test_a_difference_is_said_and_many_are_counted():
    expected = dict.fromkeys("abcde", "1")
    assert pins.differing({"a": "1"}, expected) == ""
    assert pins.differing({"a": "2", "b": "1", "x": "3"}, expected) == "a 2 in place of 1, x 3"
    assert pins.differing(dict.fromkeys(expected, "2"), expected).endswith("c 2 in place of 1 and 2 more")


def kernels_in(found) -> set[str]:
    """The kernel's package by each provenance in these data."""
    if not isinstance(found, dict):
        return set()
    own = {found["kernel_package"]} if "kernel_package" in found else set()
    return own.union(*map(kernels_in, found.values()))


def test_what_the_book_shows_was_recorded_with_these_versions():
    shown = [file for name in cases.cases() for file in (f"book/_recordings/{name}.json", f"notebooks/{name}.ipynb")]
    kernels = {file: kernels_in(json.loads((REPOSITORY / file).read_text())) for file in shown}
    of_the_guest = image.recorded(image.the_books())["linux-image-amd64"]
    assert {file for file in shown if kernels[file] != {of_the_guest}} == set()
    assert pins.source("linux-source-6.1") == of_the_guest
