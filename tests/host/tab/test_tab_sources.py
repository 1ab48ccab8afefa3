"""Are the sources of the tab's kernel those of what the state holds, whole, and never half written?"""

import base64
import hashlib
from pathlib import Path

import pytest

from host.debian import archive
from host.errors import LabError
from host.tab import node, root, sources
from host.tab.state import State

PACKAGES = {
    name: {
        "version": version,
        "source": source,
        "source_version": source_version,
        "built_using": using,
        "licences": ["GPL-2", "X"],
    }
    for name, version, source, source_version, using in (
        ("linux-image-6.1.0-50-686", "6.1.176-1", "linux-signed-i386", "6.1.176+1", {"linux": "6.1.176-1"}),
        ("libnl-3-200", "3.7.0-0.2+b1", "libnl3", "3.7.0-0.2", {}),
        ("libnl-genl-3-200", "3.7.0-0.2+b1", "libnl3", "3.7.0-0.2", {}),
        ("ipvsadm", "1:1.31-1", "ipvsadm", "1:1.31-1", {}),
    )
}
WANTED = {"linux-signed-i386=6.1.176+1", "linux=6.1.176-1", "libnl3=3.7.0-0.2", "ipvsadm=1:1.31-1"}
DESCRIBED = {
    "packages": PACKAGES,
    "suite": "bookworm",
    "date": "2026-11-24",
    "release": "6.1.0-50-686",
    "v86": "0.5",
    "files": {"state.zst": {"sha256": "abc"}},
}


def source(folder, name):
    """A source package of one archive, as apt lays it there."""
    package, version = name.split("=")
    (folder / f"{package}.tar.xz").write_bytes(package.encode())
    sums = hashlib.sha256(package.encode()).hexdigest()
    (folder / f"{package}_{version.split(':')[-1]}.dsc").write_text(
        f"Source: {package}\nChecksums-Sha1:\n 00 7 {package}.tar.xz\n"
        f"Checksums-Sha256:\n {sums} {len(package)} {package}.tar.xz\nFiles:\n 00 7 {package}.tar.xz\n"
    )


@pytest.fixture
def fetched(tmp_path, monkeypatch):
    """The archive's place is taken by a function that lays what it is asked for; the list of what that was."""
    asked = []

    def run(command, heard):
        names = next(word for word in command if "apt-get" in word).split("for each in ")[1].split(";")[0].split()
        folder = next(word for word in command if "copy-out" in word).split()[-1]
        asked.extend(names)
        for name in names:
            heard(f"'address' {name} 1000 SHA256:00")
            source(Path(folder) / "debian", name)
        return True, ""

    def npm(cached, verb, name, *words):
        package, version = name.split("@")
        (Path(words[-1]) / f"{package}-{version}.tgz").write_bytes(b"packed")
        asked.append(name)

    integrity = "sha512-" + base64.b64encode(hashlib.sha512(b"packed").digest()).decode()
    monkeypatch.setattr(archive, "run", run)
    monkeypatch.setattr(sources.archive, "need", lambda *names: None)
    monkeypatch.setattr(node, "npm", npm)
    monkeypatch.setattr(node, "locked", lambda: {"v86": {"version": "0.5", "integrity": integrity, "license": "BSD-2"}})
    return asked


@pytest.fixture
def state(tmp_path):
    """A state, of which only the description is asked."""
    state = State(tmp_path / "state")
    state.__dict__["described"] = DESCRIBED
    return state


def test_they_are_each_packages_own_and_what_it_was_built_using():
    found = sources.corresponding(PACKAGES)
    assert {f"{name}={version}" for name, version in found} == WANTED
    assert found["linux", "6.1.176-1"] == ["linux-image-6.1.0-50-686"]
    assert found["libnl3", "3.7.0-0.2"] == ["libnl-3-200", "libnl-genl-3-200"]


def test_all_lie_there_with_what_belongs_to_what(fetched, state, tmp_path):
    answer = sources.kept(state, tmp_path / "made/for")
    assert {*fetched} == {*WANTED, "v86@0.5"} and answer["packages"] == 5
    told = (tmp_path / "made/for/README.md").read_text()
    assert "`linux-image-6.1.0-50-686` | 6.1.176-1 | GPL-2, X | linux-signed-i386 6.1.176+1, linux 6.1.176-1 |" in told
    assert "| BSD-2 | npm/v86-0.5.tgz |" in told and "abc" in told
    for file in (
        "debian/linux_6.1.176-1.dsc",
        "debian/linux.tar.xz",
        "debian/ipvsadm_1.31-1.dsc",
        "npm/v86-0.5.tgz",
        "recipe/labs/live.py",
        "recipe/host/tab/state.py",
        "recipe/lab",
    ):
        assert (tmp_path / "made/for" / file).is_file(), file
    assert not list(tmp_path.rglob(".sources-*"))


def test_a_second_call_fetches_only_what_is_not_whole(fetched, state, tmp_path):
    sources.kept(state, tmp_path / "s")
    fetched.clear()
    assert sources.kept(state, tmp_path / "s")["fetched"] == [] and fetched == []
    (tmp_path / "s/debian/libnl3.tar.xz").write_bytes(b"damaged")
    (tmp_path / "s/npm/v86-0.5.tgz").unlink()
    assert sources.kept(state, tmp_path / "s")["fetched"] == ["libnl3 3.7.0-0.2", "v86"]
    assert fetched == ["libnl3=3.7.0-0.2", "v86@0.5"]
    assert (tmp_path / "s/debian/libnl3.tar.xz").read_bytes() == b"libnl3"


def test_what_the_archive_no_longer_has_is_named_and_nothing_is_written(fetched, state, tmp_path, monkeypatch):
    said = "E: Can not find version '6.1.176-1' of package 'linux'"
    monkeypatch.setattr(archive, "run", lambda *words: (False, said))
    monkeypatch.setattr(root, "built", lambda: root.Root(tmp_path / "tab-root-1"))
    with pytest.raises(LabError, match="of package 'linux'") as error:
        sources.kept(state, tmp_path / "s")
    assert error.value.next == f"rm -r {tmp_path / 'tab-root-1'} && ./lab tab"
    assert list(tmp_path.iterdir()) == []


def test_what_came_damaged_is_not_kept(fetched, state, tmp_path, monkeypatch):
    run = archive.run

    def cut_short(command, heard):
        answer = run(command, heard)
        for file in tmp_path.rglob("linux.tar.xz"):
            file.write_bytes(b"lin")
        return answer

    monkeypatch.setattr(archive, "run", cut_short)
    with pytest.raises(LabError, match=r"not what their \.dsc says: linux 6\.1\.176-1\n") as error:
        sources.kept(state, tmp_path / "s")
    assert error.value.next == f"./lab tab --sources {tmp_path / 's'}" and list(tmp_path.iterdir()) == []


def test_a_file_that_the_archive_lacks_is_named_and_nothing_is_written(fetched, state, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "run", lambda *words: (False, "E: Failed to fetch linux.tar.xz 404"))
    with pytest.raises(LabError, match="not fetched: E: Failed to fetch linux.tar.xz 404") as error:
        sources.kept(state, tmp_path / "s")
    assert error.value.next.endswith(f"./lab tab --sources {tmp_path / 's'}") and list(tmp_path.iterdir()) == []


def test_npms_package_is_the_one_of_the_lock(fetched, state, tmp_path, monkeypatch):
    lock = node.locked()
    lock["v86"]["integrity"] = "sha512-another"
    monkeypatch.setattr(node, "locked", lambda: lock)
    with pytest.raises(LabError, match="not the one that package-lock.json names"):
        sources.kept(state, tmp_path / "s")
    assert list(tmp_path.iterdir()) == []


def test_sources_and_a_run_are_two_calls():
    from click.testing import CliRunner

    from host.cli import main

    answer = CliRunner().invoke(main, ["tab", "--run", "--sources", "there"])
    assert answer.exit_code == 2 and "./lab tab --sources DIR" in answer.output
