"""What the tests of each case need of it: a run, a trace, its hosts. A test module imports its case as `case`; a `run`
of its own goes before the case's."""

import subprocess
import sys

import pytest
from conclusive import conclusive  # pytest puts this folder on the path


def lost(config):
    """lost(why) for `conclusive`: a line on the terminal, which tests/vm/test_guest.py reads. Not captured, because
    pytest shows what it captures of failed tests alone."""

    def say(why):
        with config.pluginmanager.get_plugin("capturemanager").global_and_fixture_disabled():
            config.pluginmanager.get_plugin("terminalreporter").write_line(f"\nlost: {why}")

    return say


def stood_still(outcome) -> bool:
    """Whether an outcome says so: an instrument that loses something could not tell either, and is a defect."""
    if outcome.reproduced is not None:
        return False
    said = " ".join(outcome.claimed()["reasons"])
    return "stood still" in said or "the processor was busy" in said


@pytest.fixture(scope="module")
def outcome(request):
    run = getattr(request.module, "run", request.module.case.run)
    return conclusive(run, stood_still, lost(request.config))


@pytest.fixture
def told(request):
    """told(run): an outcome that run() gives, of a machine that held still."""
    return lambda run: conclusive(run, stood_still, lost(request.config))


@pytest.fixture
def main(request, capsys):
    """main(word, …): `python -m labs`' exit status, and what it printed on stdout."""
    from core.statuses import Status
    from labs import __main__ as command

    def call(*words):
        status, (out, err) = command.main(list(words)), capsys.readouterr()
        stood_still.append(status == Status.COULD_NOT_TELL and "stood still" in out + err)
        return status, out

    stood_still = []
    return lambda *words: conclusive(lambda: call(*words), lambda found: stood_still[-1], lost(request.config))


@pytest.fixture
def at_prompt():
    """at_prompt(case, line, …): what is said at its prompt, on standard output and on standard error."""

    def call(case, *lines):
        command = [sys.executable, "-m", "labs", "shell", case]
        done = subprocess.run(command, input="\n".join([*lines, ""]), capture_output=True, text=True, timeout=600)
        assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
        return done.stdout, done.stderr

    return call


@pytest.fixture
def with_fault_and_without(at_prompt):
    """with_fault_and_without(case): what is said at its prompt to the lines that its help gives to try, in both
    states."""

    def call(case):
        lines = at_prompt(case, "help")[0].partition("without it:\n")[2].splitlines()
        lines = [line.strip() for line in lines if line.startswith("  ")]
        typed = ["fault_on", *lines, "py 'from here on without'", "fault_off", *lines]
        said, wrong = at_prompt(case, *typed)
        assert lines and "***" not in wrong, wrong
        return said.split("from here on without")

    return call


@pytest.fixture(scope="module")
def traced(request):
    return conclusive(request.module.case.trace, stood_still, lost(request.config))


@pytest.fixture(scope="module")
def net(request):
    with request.module.case.Network() as network:
        yield network
