"""Does what is set for one fetcher reach the others, and root's apt, without being seen on a command line?"""

import os
import stat
import subprocess

import pytest

from host.debian import archive, installed
from host.paths import FETCHING

PROXY = "http://name:secret-word@127.0.0.1:3128"
SUDO = """#!/bin/sh
printf '%s\\n' "$*" >>FOLDER/command-lines
exec env -i PATH="$PATH" "$@"
"""
APT_GET = """#!/bin/sh
printf '%s\\n' "$*" >>FOLDER/command-lines
env >FOLDER/environment
stat -c %a "$APT_CONFIG" >FOLDER/mode
apt-config dump --format '%f %v%n' | grep Proxy >FOLDER/proxies
exit $(cat FOLDER/status)
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """One on which we are an ordinary user with a sudo that drops the environment, and apt-get only notes its call."""
    for name, text in {"id": "#!/bin/sh\necho 4242\n", "sudo": SUDO, "apt-get": APT_GET}.items():
        (tmp_path / name).write_text(text.replace("FOLDER", str(tmp_path)))
        (tmp_path / name).chmod(stat.S_IRWXU)
    (tmp_path / "status").write_text("0")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def apt_get(*words) -> int:
    return subprocess.run(["sh", FETCHING / "apt-get.sh", *words]).returncode


def test_roots_apt_has_this_users_proxies_and_nobody_reads_their_password(machine, monkeypatch):
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, PROXY)
    monkeypatch.setenv("no_proxy", "mirror.example.org")
    assert apt_get("update", "-qq") == 0
    proxies = (machine / "proxies").read_text().splitlines()
    assert {f"Acquire::{scheme}::Proxy {PROXY}" for scheme in ("http", "https")} <= set(proxies)
    assert "no_proxy=mirror.example.org" in (machine / "environment").read_text().splitlines()
    lines = (machine / "command-lines").read_text()
    assert "update -qq" in lines and "secret-word" not in lines
    assert (machine / "mode").read_text().strip() == "600"


@pytest.mark.parametrize("status", [0, 100])
def test_its_status_is_apts_and_nothing_is_left(machine, monkeypatch, status):
    monkeypatch.setenv("TMPDIR", str(machine / "tmp"))
    (machine / "tmp").mkdir()
    (machine / "status").write_text(str(status))
    assert apt_get("install", "-y", "some") == status
    assert not list((machine / "tmp").iterdir())


def in_environment(name: str) -> str:
    """What a program that archive.py starts in mmdebstrap's place finds under this name."""
    with archive.started(["printenv", name], stdout=subprocess.PIPE, text=True) as process:
        return process.stdout.read().strip()


@pytest.mark.parametrize(
    "configured, ours, passed", [(PROXY, "", PROXY), (PROXY, "http://other:1", "http://other:1"), ("DIRECT", "", "")]
)
def test_mmdebstrap_has_the_environments_proxy_or_else_that_of_apts_configuration(
    machine, monkeypatch, configured, ours, passed
):
    (machine / "apt.conf").write_text(f'Acquire::http::Proxy "{configured}";\n')
    monkeypatch.setenv("APT_CONFIG", str(machine / "apt.conf"))
    if ours:
        monkeypatch.setenv("http_proxy", ours)
    assert in_environment("http_proxy") == passed


def test_a_command_for_a_person_keeps_the_proxies(machine, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 4242)
    assert installed.install_command(["some"]).startswith("sudo apt-get install ")
    monkeypatch.setenv("http_proxy", PROXY)
    monkeypatch.setenv("no_proxy", "a")
    assert installed.install_command(["some"]).startswith("sudo --preserve-env=http_proxy,no_proxy apt-get install ")
