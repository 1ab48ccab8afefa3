"""Is a Python environment that is damaged found and made again, and one that is whole kept?

In the place of python3 is a program of ours: its pip installs two packages, and notes that it did.
"""

import fcntl
import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from core.waiting import poll
from host import environment
from host.paths import REPOSITORY

DEADLINE_S = 60
PYTHON3 = """#!/bin/sh
case "$1 $2" in
"-m venv") mkdir -p "$3/bin" "$3/lib/python3.11/site-packages" && cp FOLDER/python "$3/bin/python";;
*) exec PYTHON -c "import sys; exec(open('FOLDER/version').read()); $2";;
esac
"""
PYTHON = """#!/bin/sh
environment=${0%/bin/python}
case "$*" in
"-m pip"*) echo made >>FOLDER/makings; eval "$(cat FOLDER/during)"
    mkdir "$environment/lib/python3.11/site-packages/alpha" "$environment/lib/python3.11/site-packages/beta";;
*) echo "runs in $environment";;
esac
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where python3 is ours, with the cache; `version` is Python for what it says of itself, `during` is what pip
    does at first, `makings` has a line for each environment."""
    for name, text in {"python3": PYTHON3, "python": PYTHON, "apt-get": "#!/bin/sh\nexit 1\n"}.items():
        (tmp_path / name).write_text(text.replace("FOLDER", str(tmp_path)).replace("PYTHON", sys.executable))
        (tmp_path / name).chmod(stat.S_IRWXU)
    for name in ("version", "during", "makings"):
        (tmp_path / name).touch()
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a cache"))
    return tmp_path


def lab() -> Path:
    """Call ./lab; the environment in which it ran."""
    called = subprocess.run([REPOSITORY / "lab"], capture_output=True, text=True, timeout=DEADLINE_S)
    assert called.returncode == 0 and called.stdout.startswith("runs in "), called.stderr
    return Path(called.stdout.removeprefix("runs in ").rstrip("\n"))


# Each changes what one of the programs does that ./lab and its tests call, where it is let through.
HOSTILE = {
    "PYTHONUNBUFFERED": "1",
    "PYTHONHOME": "/nowhere",
    "PYTHONSTARTUP": "/nowhere/startup.py",
    "PYTHONWARNINGS": "error",
    "PYTHONOPTIMIZE": "2",
    "PYTHONPATH": "/nowhere",
    "PERL5LIB": "/nowhere",
    "PERL5OPT": "-d",
    "GIT_DIR": "/nowhere",
    "GIT_SSL_NO_VERIFY": "1",
    "LD_LIBRARY_PATH": "/nowhere",
    "LD_BIND_NOW": "1",
    "BASH_ENV": "/nowhere",
    "CFLAGS": "-O0",
    "MAKEFLAGS": "-n",
    "TAR_OPTIONS": "--keep-old-files",
    "PYTEST_ADDOPTS": "--collect-only",
    "several": "lines\nPATH=/nowhere\nPYTHONHOME=/nowhere",
}
PASSED_ON = {
    "https_proxy": "http://127.0.0.1:9",
    "PIP_CERT": "/a",
    "LAB_KVM_DEVICE": "/b",
    "LC_MESSAGES": "C",
    "CI": "1",
}


def environment_of(folder, **variables) -> dict[str, str]:
    """The environment of the program that ./lab hands over to, if it is called with these variables and little else."""
    (folder / "python").write_text((folder / "python").read_text().replace('echo "runs in $environment"', "env -0"))
    called = subprocess.run(
        [REPOSITORY / "lab"],
        env={name: os.environ[name] for name in ("PATH", "XDG_CACHE_HOME")} | {"HOME": str(folder)} | variables,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert called.returncode == 0, called.stderr
    return dict(pair.split("=", 1) for pair in called.stdout.rstrip("\0").split("\0"))


def test_no_variable_that_changes_what_programs_do_passes(folder):
    bare = environment_of(folder)
    assert bare["PYTHONPATH"] == str(REPOSITORY) and makings(folder) == 1
    for name, value in HOSTILE.items():
        assert environment_of(folder, **{name: value}) == bare, name
    assert environment_of(folder, **HOSTILE) == bare and makings(folder) == 1


def test_what_a_reader_sets_for_the_lab_and_its_downloads_passes(folder):
    shared = {"NODE_EXTRA_CA_CERTS": PASSED_ON["PIP_CERT"]}  # what is set for pip alone is npm's, too
    assert environment_of(folder, **PASSED_ON) == environment_of(folder) | PASSED_ON | shared


def test_a_real_call_says_the_same_with_all_of_them(folder, monkeypatch):
    monkeypatch.undo()  # with the environment that these tests run in, and not the one of `folder`
    calls = [
        subprocess.run(
            [REPOSITORY / "lab", "list"], env=os.environ | more, capture_output=True, text=True, timeout=DEADLINE_S
        )
        for more in ({}, HOSTILE)
    ]
    first, second = ((call.returncode, call.stdout, call.stderr) for call in calls)
    assert first == second and first[0] == 0 and "frag-needed/1" in first[1]


def makings(folder) -> int:
    return len((folder / "makings").read_text().splitlines())


def packages(made: Path) -> Path:
    return made / "lib" / "python3.11" / "site-packages"


def test_nobody_else_may_look_into_the_cache_that_it_makes(folder):
    assert stat.S_IMODE(lab().parent.stat().st_mode) == 0o700


def test_it_is_made_once(folder):
    assert lab() == lab() and makings(folder) == 1


@pytest.mark.parametrize(
    "harm",
    [
        lambda made: shutil.rmtree(packages(made) / "beta"),
        lambda made: shutil.rmtree(packages(made)),
        lambda made: (made / "packages").unlink(),
        lambda made: (made / "packages").write_text(""),
        lambda made: ((made / "bin/python").unlink(), (made / "bin/python").symlink_to("/nowhere/python3")),
    ],
    ids=["a package gone", "all gone", "no list", "an empty list", "another python"],
)
def test_one_that_is_damaged_is_made_again(folder, harm):
    made = lab()
    harm(made)
    assert lab() == made and (packages(made) / "beta").exists() and makings(folder) == 2
    assert lab() == made and makings(folder) == 2


def test_a_package_of_the_readers_is_no_damage(folder):
    (packages(lab()) / "another").mkdir()
    lab()
    assert makings(folder) == 1


def test_a_pip_that_fails_leaves_none(folder):
    (folder / "during").write_text("mkdir $environment/half; echo no space left; exit 1")
    failed = subprocess.run([REPOSITORY / "lab"], capture_output=True, text=True, timeout=DEADLINE_S)
    assert failed.returncode == 3 and "no space left" in failed.stderr and "Next:" in failed.stderr
    assert not list((folder / "a cache").glob("*/environment-*"))
    (folder / "during").write_text("")
    lab()


@pytest.mark.parametrize("number, status", [(signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_pip_and_leaves_none(folder, number, status):
    (folder / "during").write_text(f"echo $$ >{folder}/pid; sleep 600")
    before = signal.signal(number, signal.SIG_DFL)  # one that is ignored would be handed down
    called = subprocess.Popen([REPOSITORY / "lab"], stderr=subprocess.DEVNULL)
    signal.signal(number, before)
    assert poll(lambda: (folder / "pid").exists() and (folder / "pid").read_text(), DEADLINE_S, 0.01)
    called.send_signal(number)
    assert called.wait(DEADLINE_S) == status
    assert not list((folder / "a cache").glob("*/environment-*"))
    pip = Path("/proc", (folder / "pid").read_text().strip())
    assert poll(lambda: not pip.exists() or "Z" in (pip / "stat").read_text().split(")")[1], DEADLINE_S, 0.01)


def test_a_security_update_of_python_keeps_it_and_another_version_does_not(folder):
    made = lab()
    (folder / "version").write_text("sys.version = sys.version.replace('3', '4')")
    assert lab() == made
    (folder / "version").write_text("sys.implementation.cache_tag = 'cpython-399'")
    assert lab() != made and makings(folder) == 2


def test_the_one_used_last_before_is_kept_and_older_ones_are_not(folder):
    made = []
    for number in range(3):
        (folder / "version").write_text(f"sys.implementation.cache_tag = 'cpython-{number}'")
        made.append(lab())
        os.utime(made[-1], (number, number))
    (folder / "version").write_text("sys.implementation.cache_tag = 'cpython-0'")
    lab()  # makes it again, for it is the third last, and then number 2 was used before
    left = {path for path in made[0].parent.glob("environment-*") if path.is_dir()}
    assert left == {made[0], made[2]} and makings(folder) == 4


def test_one_in_use_is_kept_however_old(folder):
    """As by a notebook of another checkout that is open for days."""
    made, held = [], None
    for number in range(5):
        (folder / "version").write_text(f"sys.implementation.cache_tag = 'cpython-{number}'")
        made.append(lab())
        os.utime(made[-1], (number, number))
        if number == 0:
            held = os.open(made[0], os.O_RDONLY)
            fcntl.flock(held, fcntl.LOCK_SH)
        if number == 3:
            assert made[0].exists() and not made[1].exists()
            os.close(held)
    assert not made[0].exists()


def test_it_is_in_use_until_what_runs_in_it_ends(folder):
    script = (folder / "python").read_text()
    (folder / "python").write_text(script.replace("*) echo", '*) flock -nx "$environment" true || echo in use; echo'))
    called = subprocess.run([REPOSITORY / "lab"], capture_output=True, text=True, timeout=DEADLINE_S)
    assert called.stdout.startswith("in use\nruns in")


def test_a_shared_one_is_used_and_none_is_made(folder, monkeypatch):
    made = lab()
    shutil.copytree(made.parent, folder / "shared")
    monkeypatch.setenv("LAB_SHARED_CACHE", str(folder / "shared"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "of somebody else"))
    assert lab() == folder / "shared" / made.name and makings(folder) == 1
    (folder / "shared" / made.name / "packages").unlink()
    assert lab().is_relative_to(folder / "of somebody else") and makings(folder) == 2


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """An environment with one installed package, click say, in which this process is said to run; what it becomes."""
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    (site / "click").mkdir(parents=True)
    (site / "click-1.dist-info").mkdir()
    (site / "click" / "__init__.py").write_text("x = 1\n")
    (site / "click-1.dist-info" / "METADATA").write_text("Name: click\nVersion: 1\n")
    (site / "click-1.dist-info" / "RECORD").write_text("click/__init__.py,,6\nclick/__pycache__/x.pyc,,\n")
    (tmp_path / "packages").write_text("click\n")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    became = []
    monkeypatch.setattr(os, "execve", lambda *words: became.append(words))
    return tmp_path, site, became


def test_an_error_of_ours_is_no_damage(installed):
    environment.repair_if_damaged(ImportError("cannot import name 'nothing' from 'click'"))
    assert not installed[2] and (installed[0] / "packages").exists()


@pytest.mark.parametrize("harm", [Path.unlink, lambda file: file.write_text("")], ids=["gone", "cut short"])
def test_damage_is_mended_once_when_an_import_fails(installed, monkeypatch, capsys, harm):
    prefix, site, became = installed
    harm(site / "click" / "__init__.py")
    environment.repair_if_damaged(ImportError("no x"))
    ((program, words, variables),) = became
    assert program == REPOSITORY / "lab" and words[1:] == sys.argv[1:] and not (prefix / "packages").exists()
    assert "environment: no x, and " in capsys.readouterr().err
    (prefix / "packages").write_text("click\n")
    monkeypatch.setenv(environment.REMADE, variables[environment.REMADE])
    environment.repair_if_damaged(ImportError("no x"))
    assert len(became) == 1


def test_one_that_is_not_ours_to_mend_is_not_used(installed, monkeypatch):
    (installed[1] / "click" / "__init__.py").unlink()

    def refused(*words, **keywords):
        raise PermissionError

    monkeypatch.setattr(Path, "unlink", refused)
    environment.repair_if_damaged(ImportError("no x"))
    assert installed[2][0][2]["LAB_SHARED_CACHE"] == ""


def test_a_call_whose_import_fails_goes_on_in_a_new_environment(folder, installed):
    prefix, site, _ = installed
    shutil.rmtree(site / "click")
    program = f"""
import runpy, sys
sys.prefix, sys.argv = {str(prefix)!r}, ["./lab", "list"]
sys.modules["click"] = None  # what it finds there
runpy.run_module("host", run_name="__main__")
"""
    called = subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    assert called.stdout.startswith("runs in ") and "import of click halted" in called.stderr, called.stderr
