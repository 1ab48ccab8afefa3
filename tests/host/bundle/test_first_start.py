"""Where there is no network, does a first `./lab start --bundle` make the environment, and does apt find what is in the
bundle? The checkout is one of a few files, and its host/ says what it was called with."""

import os
import shutil
import subprocess

import pytest

from host.bundle import write
from host.paths import FETCHING, REPOSITORY

NO_NETWORK = ("unshare", "--map-root-user", "--net", "--")  # not even loopback is up
FILES = ("lab", "host/bundle/take.sh", "host/fetching/apt-get.sh", "host/fetching/python-packages.sh")
MAIN = """import os, sys, small
print(small.__name__, *sys.argv[1:], os.environ["LAB_PACKAGES"])
"""


@pytest.fixture
def release() -> str:
    """The name of this machine's Debian."""
    lines = dict(line.partition("=")[::2] for line in open("/etc/os-release").read().splitlines())
    return lines["VERSION_CODENAME"]


@pytest.fixture
def checkout(tmp_path, release, wheel):
    """A checkout that needs one package of Python's, and a bundle that has it."""
    folder = tmp_path / "checkout"
    for file in FILES:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / file, folder / file)
    (folder / "host/__main__.py").write_text(MAIN)
    (folder / "host/bundle/ahead.py").write_text("")
    wheels, packages = tmp_path / f"wheels-{'0' * 16}", tmp_path / f"packages-{release}-{'0' * 16}" / "packages"
    wheels.mkdir()
    packages.mkdir(parents=True)
    (packages / "Packages").write_text("")
    (folder / "requirements.txt").write_text(wheel(wheels, "small"))
    write.pack([wheels, packages.parent], folder / "bundle")
    return folder


def first_start(checkout, home, *words) -> subprocess.CompletedProcess[str]:
    ours = {"PATH": os.environ["PATH"], "HOME": str(home)}
    words = [*NO_NETWORK, checkout / "lab", "start", *words]
    return subprocess.run(words, cwd=checkout, env=ours, capture_output=True, text=True)


@pytest.mark.parametrize("words", [("--bundle", "bundle"), ("frag-needed", "--bundle=bundle", "--no-browser")])
def test_from_a_bundle_it_fetches_nothing(checkout, tmp_path, release, words):
    """Wherever the home is: to pip a blank is the end of a path, and to apt that of an address."""
    done = first_start(checkout, tmp_path / "a home", *words)
    assert done.returncode == 0, done.stderr
    kept = tmp_path / f"a home/.cache/where-packets-wait/packages-{release}-{'0' * 16}/packages"
    assert done.stdout == f"{' '.join(['small', 'start', *words, str(kept)])}\n" and "environment: ready" in done.stderr


def test_without_one_pip_says_that_there_is_no_network(checkout, tmp_path):
    done = first_start(checkout, tmp_path / "home")
    assert done.returncode == 3 and "environment: pip failed" in done.stderr


def test_what_is_no_bundle_ends_it(checkout, tmp_path):
    done = first_start(checkout, tmp_path / "home", "--bundle", "nothing")
    assert done.returncode == 3 and "nothing" in done.stderr and "environment" not in done.stderr


def test_apt_has_the_bundle_s_packages_alone(archive_of, tmp_path):
    """And the machine's own lists stay: apt removes those that its sources do not name."""
    shutil.copytree(archive_of(("small", "1.0", {"usr/file": b""})), folder := tmp_path / "a folder")
    ours = {"PATH": os.environ["PATH"], "LAB_PACKAGES": str(folder), "HOME": str(tmp_path)}
    asked = "sh $0 -o Dir::State::Lists=$1 -qq update && sh $0 -o Dir::State::Lists=$1 --print-uris -qq install small"
    (tmp_path / "lists/partial").mkdir(parents=True)
    (tmp_path / "lists/another").touch()
    words = [*NO_NETWORK, "sh", "-c", asked, FETCHING / "apt-get.sh", tmp_path / "lists"]
    done = subprocess.run(words, env=ours, capture_output=True, text=True)
    assert f"copy:{folder}/./0.deb" in done.stdout, done.stderr
    assert (tmp_path / "lists/another").exists()
