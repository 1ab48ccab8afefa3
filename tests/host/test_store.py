"""Is a stored thing whole or absent, and is damage noticed before use?"""

import errno
import os
import shutil
import stat
import subprocess
import sys
import threading

import pytest

from host import paths, store
from host.debian import root
from host.errors import LabError
from host.paths import REPOSITORY


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "with a space"))


def write_large(folder):
    (folder / "large").write_bytes(b"x" * 1000)


def write_nested(folder):
    (folder / "net" / "ipv4").mkdir(parents=True)
    (folder / "net" / "ipv4" / "route.c").write_text("")


def never(folder):
    raise AssertionError("made again")


def test_it_is_made_once():
    made = store.build_once("thing", "k", write_large)
    assert store.build_once("thing", "k", never) == made


def grow_large(folder):
    write_large(folder)
    return [folder / "large"]


@pytest.mark.parametrize("make, how", [(store.build_once, write_large), (store.build_resumable, grow_large)])
def test_nobody_else_may_look_into_what_is_made(monkeypatch, tmp_path, make, how):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for folder in (make("thing", "k", how), paths.cache(), paths.data()):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700, folder


def test_files_in_folders_are_found_again():
    made = store.build_once("thing", "k", write_nested)
    assert store.build_once("thing", "k", never) == made


@pytest.mark.parametrize(
    "harm, says",
    [
        (lambda f: os.truncate(f / "large", 10), "10 bytes where 1000"),
        (lambda f: (f / "large").unlink(), "large is missing"),
        (lambda f: (f / store.LIST).write_text("{"), "cannot be read"),
        (lambda f: (f / store.LIST).write_text("{}"), "no list of files"),
        (lambda f: (f / store.LIST).write_text("[1]"), "no list of files"),
        (lambda f: os.utime(f / "large", (1, 1)), "was changed"),
    ],
)
def test_damage_is_named_and_repaired(harm, says, capsys):
    made = store.build_once("thing", "k", write_large)
    harm(made)
    assert says in store.damage(made)
    assert store.build_once("thing", "k", write_large) == made
    assert store.damage(made) is None
    assert says in capsys.readouterr().err


def test_only_the_one_that_was_meant_is_discarded():
    """Two find the same thing bad; the second must not discard what the first has made in its place."""
    made = store.build_once("thing", "k", write_large)
    bad = store.generation(made)
    store.discard("thing", made, bad)
    assert store.generation(made) is None
    store.build_once("thing", "k", write_large)
    store.discard("thing", made, bad)
    assert store.damage(made) is None
    store.discard("thing", made, store.generation(made))
    assert store.damage(made) == "missing"


def test_what_was_not_there_is_not_what_is_discarded():
    """Who looked while another one had discarded it meant none."""
    none = store.generation(store.cache() / "thing-k")
    made = store.build_once("thing", "k", write_large)
    store.discard("thing", made, none)
    assert store.damage(made) is None


def test_processes_that_find_the_same_damage_make_it_again_once(tmp_path):
    program = """
import sys, time
from host import paths, store

def make(folder):
    with open(sys.argv[1], "a") as file:
        file.write("made\\n")
    time.sleep(0.3)
    (folder / "large").write_text("")

store.build_once("thing", "k", make)
"""
    made = store.build_once("thing", "k", write_large)
    os.truncate(made / "large", 10)
    ours = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    calls = [subprocess.Popen([sys.executable, "-P", "-c", program, tmp_path / "makings"], env=ours) for _ in range(4)]
    assert [call.wait(120) for call in calls] == [0] * 4
    assert (tmp_path / "makings").read_text() == "made\n"


def test_one_that_is_discarded_while_it_is_found_is_made_again(monkeypatch):
    made = store.build_once("thing", "k", write_large)
    monkeypatch.setattr(store.os, "utime", lambda folder: (shutil.rmtree(folder), os.stat(folder)))
    store.build_once("thing", "k", write_large)
    assert store.damage(made) is None


def test_an_interrupted_make_leaves_nothing_and_the_next_works():
    def interrupted(folder):
        write_large(folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.build_once("thing", "k", interrupted)
    made = store.build_once("thing", "k", write_large)
    assert [path.name for path in made.parent.glob("thing-*")] == ["thing-k"]


def test_what_can_go_on_does_so_after_an_interruption():
    def interrupted(folder):
        (folder / "first").write_text("1")
        raise KeyboardInterrupt

    def go_on(folder):
        assert (folder / "first").read_text() == "1"
        write_large(folder)
        return [folder / "large"]

    with pytest.raises(KeyboardInterrupt):
        store.build_resumable("thing", "k", interrupted)
    grown = store.build_resumable("thing", "k", go_on)
    assert store.damage(grown) is None
    assert store.build_resumable("thing", "k", never) == grown


def test_what_grew_and_was_damaged_is_gone_on_with():
    def grow(folder):
        (folder / "beside").write_text("kept between, and not looked at")
        write_large(folder)
        return [folder / "large"]

    grown = store.build_resumable("thing", "k", grow)
    (grown / "beside").unlink()
    assert store.build_resumable("thing", "k", never) == grown
    os.truncate(grown / "large", 10)
    assert store.build_resumable("thing", "k", grow) == grown and store.damage(grown) is None


def test_a_failed_growth_is_one_error_and_is_not_whole():
    def fail(folder):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(LabError, match=os.strerror(errno.ENOSPC)):
        store.build_resumable("thing", "k", fail)
    again = store.build_resumable("thing", "k", lambda folder: write_large(folder) or [folder / "large"])
    assert store.damage(again) is None


def test_a_full_disk_while_making_is_one_clear_error():
    def fill(folder):
        with open("/dev/full", "w") as full:
            full.write("x" * 100000)

    with pytest.raises(LabError, match=os.strerror(errno.ENOSPC)) as error:
        store.build_once("thing", "k", fill)
    assert error.value.next
    assert store.damage(store.build_once("thing", "k", write_large)) is None


def test_too_little_space_is_said_before_the_work(monkeypatch):
    usage = shutil.disk_usage("/")._replace(free=100 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(LabError, match="needs 4500 MiB .* 100 MiB are free"):
        store.build_once("thing", "k", never, needs_mib=4500)


def test_two_at_once_make_it_once():
    calls = []

    def slow(folder):
        calls.append(1)
        threading.Event().wait(0.3)
        write_large(folder)

    threads = [threading.Thread(target=store.build_once, args=("thing", "k", slow)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == [1]


def test_a_failed_image_build_names_its_cause(tmp_path):
    log = tmp_path / "log"
    log.write_text("I: running apt-get update...\nE: Unable to locate package nosuch\nI: cleaning\n")
    assert "Unable to locate package nosuch" in root._cause("guest image", log)
    log.write_text("dpkg: error writing: No space left on device\n")
    assert "the disk is full" in root._cause("guest image", log)


@pytest.mark.parametrize("made", ["k", store.key_of("b")])
def test_what_was_left_half_made_goes_when_another_is_made(made, monkeypatch):
    of_the_same_key = store.cache() / f"thing-{made}.part"
    of_another = store.cache() / f"thing-{store.key_of('a')}.part"
    another_kinds = store.cache() / f"thing-also-{store.key_of('a')}.part"
    for folder in (of_the_same_key, of_another, another_kinds):
        folder.mkdir(parents=True)
        write_large(folder)
    free = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: free._replace(free=0 if of_another.exists() else 9 << 20))
    store.build_once("thing", made, write_large, needs_mib=8)
    assert not of_the_same_key.exists() and not of_another.exists() and another_kinds.exists()


@pytest.fixture
def shared(tmp_path, monkeypatch):
    """A copy of a cache in which there is a thing, shared with a user who has none."""
    store.build_once("thing", "k", write_large)
    subprocess.run(["cp", "-a", paths.cache(), tmp_path / "shared"], check=True)
    subprocess.run(["chmod", "-R", "a-w,go+rX", tmp_path / "shared"], check=True)
    monkeypatch.setenv("LAB_SHARED_CACHE", str(tmp_path / "shared"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "of somebody else"))
    yield tmp_path / "shared"
    subprocess.run(["chmod", "-R", "u+w", tmp_path / "shared"], check=True)


def test_what_was_left_half_made_goes_also_of_a_kind_with_a_dot():
    """Of that kind alone; and what is made has a name that the next one would find, too."""
    names = []

    def write(folder):
        names.append(folder.name)
        write_large(folder)

    for kind in ("thing-6.12", "thing-6"):
        (paths.cache() / f"{kind}-{'0' * 16}.part").mkdir()
    made = store.build_once("thing-6.12", "1" * 16, write)
    left = sorted(path.name for path in paths.cache().iterdir() if path.is_dir())
    assert left == [f"thing-6-{'0' * 16}.part", made.name] and names == [f"{made.name}.part"]


@pytest.mark.parametrize("made", [store.build_once, store.build_resumable])
def test_what_is_shared_is_used_where_it_lies(shared, made):
    before = sorted((path, path.stat().st_mtime_ns) for path in shared.rglob("*"))
    assert made("thing", "k", never) == shared / "thing-k" and store.stored("thing-*") == [shared / "thing-k"]
    assert sorted((path, path.stat().st_mtime_ns) for path in shared.rglob("*")) == before
    assert not list(paths.cache().glob("thing*"))


def test_a_users_own_is_copied_and_nobody_else_may_read_it(shared):
    copy = store.build_once("thing", "k", never, own=True)
    assert copy == paths.cache() / "thing-k" and store.damage(copy) is None
    assert [oct(path.stat().st_mode & 0o777) for path in (copy, copy / "large")] == ["0o700", "0o600"]
    assert store.build_once("thing", "k", never, own=True) == copy


def test_what_is_shared_and_damaged_is_named_and_made_by_oneself(shared, capsys):
    (shared / "thing-k" / "large").chmod(0o644)
    os.truncate(shared / "thing-k" / "large", 10)
    assert store.build_once("thing", "k", write_large) == paths.cache() / "thing-k"
    assert "shared/thing-k: not used (large holds 10 bytes" in capsys.readouterr().err


def test_ones_own_comes_first(shared):
    (own := paths.cache() / "thing-k").mkdir(mode=0o700)
    write_large(own)
    store._write_list(own, [own / "large"])
    assert store.build_once("thing", "k", never) == own
