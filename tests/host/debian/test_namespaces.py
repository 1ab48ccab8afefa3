"""Is a machine on which no guest image can be built told why, and before anything is downloaded?"""

import os

import pytest

from host import doctor
from host.debian import archive, installed, namespaces
from host.errors import LabError
from host.vm import snapshot

APPARMOR = "kernel/apparmor_restrict_unprivileged_userns"
REFUSED = "unshare: unshare failed: Operation not permitted"


@pytest.fixture(autouse=True)
def machine(tmp_path, monkeypatch):
    """machine(uid, **refused) is one on which this user calls ./lab; `unshare` says there what is refused to whoever
    names that option. It has ranges of subordinate ids, no switch that forbids anything, and no cache."""
    for name in ("subuid", "subgid"):
        (tmp_path / name).write_text("somebody:1:1\n4242:100000:65536\n")
    monkeypatch.setattr(namespaces, "SUBORDINATE", (tmp_path / "subuid", tmp_path / "subgid"))
    monkeypatch.setattr(namespaces, "SYSCTL", tmp_path / "sys")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    (tmp_path / "newuidmap").symlink_to("/bin/true")

    def made(uid=4242, **refused):
        unshare = "#!/bin/sh\n"
        for option, said in refused.items():
            unshare += f'case "$*" in *--{option.replace("_", "-")}*) echo "{said}" >&2; exit 1;; esac\n'
        (tmp_path / "unshare").write_text(unshare)
        (tmp_path / "unshare").chmod(0o755)
        monkeypatch.setattr(os, "getuid", lambda: uid)
        return tmp_path

    return made


def set_to(machine, name, value):
    file = machine / "sys" / name
    file.parent.mkdir(parents=True)
    file.write_text(f"{value}\n")


@pytest.mark.parametrize("uid", [0, 4242])
def test_where_nothing_forbids_it_nothing_is_said(machine, uid):
    machine(uid)
    assert namespaces.forbidden() is None
    namespaces.need()


@pytest.mark.parametrize(
    "name, value, next",
    [
        ("user/max_user_namespaces", 0, "sudo sysctl user.max_user_namespaces=15000"),
        ("kernel/unprivileged_userns_clone", 0, "sudo sysctl kernel.unprivileged_userns_clone=1"),
        (APPARMOR, 1, f"sudo sysctl {APPARMOR.replace('/', '.')}=0"),
    ],
)
def test_a_switch_that_forbids_it_is_named(machine, name, value, next):
    set_to(machine(user=REFUSED), name, value)
    why, found = namespaces.forbidden()
    assert name.replace("/", ".") in why and found == next


def test_root_is_told_only_of_a_switch_that_forbids_root(machine):
    set_to(machine(uid=0), APPARMOR, 1)
    assert namespaces.switched_off() is None
    set_to(machine(uid=0), namespaces.FOR_ALL, 0)
    why, _ = namespaces.switched_off()
    assert why == "user.max_user_namespaces is 0, so nobody makes user namespaces"


@pytest.mark.parametrize(
    "uid, refused, why",
    [
        (0, {"mount": REFUSED}, "root may not mount or chroot (unshare: unshare failed"),
        (4242, {"user": REFUSED}, "user namespaces are forbidden (unshare: unshare failed"),
        (4242, {"map_auto": "newuidmap: no"}, "newuidmap may not map the ids of 4242 (newuidmap: no)"),
    ],
)
def test_a_container_that_forbids_it_is_named(machine, uid, refused, why):
    machine(uid, **refused)
    found, next = namespaces.forbidden()
    assert found.startswith(why) and "outside of the container" in next


def test_an_older_unshare_that_cannot_try_it_forbids_nothing(machine):
    machine(map_auto="unshare: unrecognized option '--map-auto'")
    assert namespaces.forbidden() is None


def test_a_user_without_subordinate_ids_is_told_how_to_get_some(machine):
    (machine() / "subgid").write_text("somebody:1:1\n")
    why, next = namespaces.forbidden()
    assert why.startswith("no range for 4242 in ") and why.endswith("subgid") and next.endswith(" 4242")
    (finding,) = [finding for finding in [doctor._build_mode()] if not finding.good]
    assert (finding.found, finding.mend) == (why, next)


@pytest.mark.parametrize("call", [archive.need, snapshot.need])
def test_it_is_told_before_anything_is_downloaded(machine, monkeypatch, call):
    monkeypatch.setattr(installed, "need", lambda *names: pytest.fail("asked for packages"))
    machine(user=REFUSED)
    with pytest.raises(LabError, match="archive here: user namespaces are forbidden"):
        call()


def test_who_has_an_image_needs_to_build_none(machine, monkeypatch):
    asked = []
    monkeypatch.setattr(installed, "need", lambda *names: asked.extend(names))
    folder = machine(user=REFUSED) / "cache" / "where-packets-wait" / f"image-{0:016}"
    folder.mkdir(parents=True)
    (folder / "disk.squashfs").touch()
    snapshot.need()
    assert asked == installed.LAB
