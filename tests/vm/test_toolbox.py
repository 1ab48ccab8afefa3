"""Does each line that the toolbox gives to try run in the VM, and show something?"""

import re
import shlex

import pytest

from host.paths import REPOSITORY

PAGE = (REPOSITORY / "book/toolbox.md").read_text()
SECTION = PAGE[PAGE.index("(packages)=") : PAGE.index("(tool-nstat)=")]
LINES = re.findall(r"^ *\./lab (shell -- .+)$", SECTION, re.MULTILINE)


def test_each_package_has_a_line():
    assert len(LINES) == 6 == SECTION.count("\n: ")


def lines():
    """Mininet's in the base."""
    others = pytest.mark.part("machinery", why="one shows that a line runs as it stands")
    for number, line in enumerate(LINES):
        yield pytest.param(line, id=f"{shlex.split(line)[2]}-{number}", marks=others if number else ())


@pytest.mark.parametrize("line", lines())
def test_it_runs_and_shows_something(lab, line):
    answer = lab(*shlex.split(line), timeout=120)
    said = answer.stdout + answer.stderr
    assert answer.returncode == 0 and said.strip(), said
    if "mn" in line.split():  # its exit status is 0 whatever happens
        assert "Results: 0% dropped" in said, said


def test_what_mininet_would_raise_stays(lab):
    """Limits of the whole VM, in which the labs measure: see labs/net/topology.py. By itself it makes this one 5000."""
    lab(*shlex.split(next(line for line in LINES if " mn " in line)), timeout=120)
    said = lab("shell", "--", "cat", "/proc/sys/net/core/netdev_max_backlog").stdout
    assert said == "1000\n"  # the kernel's own, net/core/dev.c
