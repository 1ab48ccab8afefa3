"""Does `./lab start CASE` open that case's notebook?"""

import os
import subprocess
import sys

import pytest

from core.cases import WrongCall
from host import cli
from host.errors import LabError
from host.notebook import jupyter, server
from host.paths import REPOSITORY


def test_the_named_notebook_is_opened():
    opened = jupyter.notebook_of("frag-needed")
    command = server.command("127.0.0.1", 8888, False, opened, ["lab-vm"])
    assert f"--ServerApp.root_dir={jupyter.WORK}" in command and jupyter.WORK.name == "work"
    assert "--LabApp.default_url=/lab/tree/frag-needed.ipynb" in command


def test_an_unknown_case_names_the_known_ones():
    with pytest.raises(WrongCall, match="no case 'nowhere'; there are: frag-needed"):
        jupyter.notebook_of("nowhere")


@pytest.mark.parametrize("variables", [{}, {"LAB_PORT": "8890"}], ids=["nothing set", "LAB_PORT"])
def test_the_pages_lead_to_where_it_listens(monkeypatch, variables):
    monkeypatch.delenv("LAB_PORT", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    program = "from book._ext.live import run_here; print(run_here.LAB)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=REPOSITORY, check=True)
    led_to = done.stdout.strip()
    with cli.start.make_context("start", []) as context:
        assert (
            led_to
            == f"http://127.0.0.1:{context.params['port']}"
            == f"http://127.0.0.1:{variables.get('LAB_PORT', 8888)}"
        )


def test_who_comes_by_a_tunnel_is_told_its_two_numbers(monkeypatch, tmp_path, capsys):
    for module, name in ((jupyter.image, "need"), (jupyter.guests, "up"), (os, "execve"), (os, "chdir")):
        monkeypatch.setattr(module, name, lambda *words: None)
    monkeypatch.setattr(jupyter, "WORK", tmp_path / "work")
    monkeypatch.setattr(jupyter, "kernelspecs", lambda folder: None)
    jupyter.start("", 8890, browser=False)
    assert "ssh -L 8890:127.0.0.1:8890 HOST" in capsys.readouterr().err


@pytest.mark.parametrize("asked", [{}, {"LAB_PACKAGES": "/media/stick"}], ids=["from the network", "from a bundle"])
def test_without_the_compiler_of_a_bundle_all_else_goes_on(monkeypatch, tmp_path, capsys, asked):
    """Who may install nothing, and has what the lab itself needs, still gets to chapter 1."""

    def lacks(*names):
        raise LabError("Debian packages are missing: gcc", "sudo apt-get install gcc")

    became = []
    monkeypatch.delenv("LAB_PACKAGES", raising=False)
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    for module, name in ((jupyter.image, "need"), (jupyter.guests, "up"), (os, "chdir")):
        monkeypatch.setattr(module, name, lambda *words: None)
    monkeypatch.setattr(os, "execve", lambda *words: became.append(words))
    monkeypatch.setattr(jupyter.installed, "need", lacks)
    monkeypatch.setattr(jupyter, "WORK", tmp_path / "work")
    monkeypatch.setattr(jupyter, "kernelspecs", lambda folder: None)
    jupyter.start("", 8890, browser=False)
    assert became and ("gcc" in capsys.readouterr().err) == bool(asked)
