"""Are the guest's image and first boot begun while pip still installs, with the few packages that this needs, and
ended with it? The checkout is one of a few files, whose host/bundle/ahead.py says when it runs, and its packages come
from a folder."""

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

from core.waiting import poll
from host.bundle.ahead import asked_for
from host.paths import FETCHING, REPOSITORY

FILES = ("lab", "host/fetching/python-packages.sh")
INSTALLS = 'pip -r "$requirements"\n'
SLOW_S = 120  # to make a venv, on two busy cores
# It notes the process that it is, and which environments are whole then.
AHEAD = """import filelock, glob, os, sys, time
aside = os.environ["HOME"] + "/.cache/where-packets-wait/environment-*"
with open(os.environ["HOME"] + "/ahead", "w") as file:
    whole = [path for path in glob.glob(aside) if not path.endswith((".part", ".ahead"))]
    print(os.getpid(), *sys.argv[1:], *whole, file=file)
time.sleep({sleeps_s})
"""


@pytest.fixture
def call(tmp_path, wheel):
    """call(command, sleeps_s, lacking) starts ./lab there; `lacking` is a package that pip will not find."""

    def started(command: str, sleeps_s: int = 0, lacking: str = "") -> subprocess.Popen[str]:
        checkout, wheels = tmp_path / "checkout", tmp_path / "wheels"
        for file in FILES:
            (checkout / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / file, checkout / file)
        packages = checkout / "host/fetching/python-packages.sh"
        # Some seconds, as long as it really takes until most packages are there.
        packages.write_text(packages.read_text().replace(INSTALLS, f"sleep 3\n{INSTALLS}"))
        wheels.mkdir()
        named = [wheel(wheels, name) for name in ("another", "filelock", "small")]
        if lacking:
            named.append(f"{lacking}==1.0 --hash=sha256:{'0' * 64}\n")
        (checkout / "requirements.txt").write_text("# head\n" + "".join(named))
        (checkout / "host/bundle").mkdir()
        (checkout / "host/bundle/ahead.py").write_text(AHEAD.format(sleeps_s=sleeps_s))
        (checkout / "host/__main__.py").write_text("import another, small, sys\nprint(*sys.argv[1:])\n")
        ours = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
        # As a terminal has it: what runs in the background of a script ignores SIGINT, and so all that it starts does.
        words = ["env", "--default-signal=INT", checkout / "lab", command]
        return subprocess.Popen(
            words, env=ours, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    return started


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def ahead(home: Path) -> int:
    """The process that it is, once it runs."""
    assert poll(lambda: (home / "ahead").exists() and (home / "ahead").read_text().endswith("\n"), SLOW_S, 0.05)
    return int((home / "ahead").read_text().split()[0])


@pytest.mark.parametrize("command", ["start", "up"])
def test_the_image_is_begun_before_there_is_an_environment(call, tmp_path, command):
    running = call(command)
    printed, said = running.communicate(timeout=SLOW_S)
    assert running.returncode == 0 and printed == f"{command}\n", said
    process, *words = (tmp_path / "ahead").read_text().split()
    assert words == [command]  # and no environment
    assert "usage" not in said
    assert not alive(int(process)) and not list((tmp_path / ".cache/where-packets-wait").glob("*.ahead*"))


def test_a_call_that_needs_no_image_begins_none(call, tmp_path):
    running = call("list")
    assert running.communicate(timeout=SLOW_S)[0] == "list\n" and not (tmp_path / "ahead").exists()


def test_it_ends_when_pip_fails(call, tmp_path):
    running = call("start", sleeps_s=10 * SLOW_S, lacking="nowhere")
    said = running.communicate(timeout=SLOW_S)[1]
    assert running.returncode == 3 and "environment: pip failed" in said
    assert poll(lambda: not alive(ahead(tmp_path)), SLOW_S, 0.05)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_who_is_impatient_ends_both(call, tmp_path, how):
    """Ctrl-C goes to all that the terminal's foreground has; another signal to the script alone."""
    running = call("start", sleeps_s=10 * SLOW_S)
    process = ahead(tmp_path)
    os.killpg(running.pid, how) if how == signal.SIGINT else os.kill(running.pid, how)
    began = time.monotonic()
    running.communicate(timeout=SLOW_S)
    assert running.returncode == 128 + how and time.monotonic() - began < SLOW_S / 4
    assert poll(lambda: not alive(process), SLOW_S, 0.05)
    assert not list((tmp_path / ".cache/where-packets-wait").glob("*.part"))


def test_it_needs_no_other_package(tmp_path):
    """What host/bundle/ahead.py imports, with none of our packages in reach but the few."""
    few = re.search(r"^FEW='(.*)'$", (FETCHING / "python-packages.sh").read_text(), re.MULTILINE)[1].split()
    for name in few:
        module = {"qemu-qmp": "qemu"}.get(name, name.replace("-py", "").replace("-", "_"))
        (tmp_path / module).symlink_to(Path(sysconfig.get_path("purelib")) / module)
    program = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(REPOSITORY)!r}]; "
        "import host.bundle.ahead, host.phases, rich.console; rich.console.Console().status('')"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "words, profile",
    [
        (["start"], "stock"),
        (["start", "--no-browser", "--bundle", "/media/stick/bundle"], "stock"),
        (["start", "rtl8139-tso"], "rtl8139"),
        (["start", "--port", "8889", "addr-select"], "stock"),
        (["up", "rtl8139"], "rtl8139"),
    ],
)
def test_the_boot_is_that_of_the_guest_asked_for(words, profile):
    assert asked_for(words) == profile
