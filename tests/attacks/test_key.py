"""Can another user of the reader's machine read the key with which a notebook's kernel is told what to run?

Each user can read each process's command line, and the five ports are open to all of them: who has the key runs code as
root in the reader's guest. Before there was a wall it stood on ssh's command line. Here a program of ours is ssh.
"""

import os
import stat
import subprocess
import sys

import pytest
from jupyter_client.connect import write_connection_file

from host.paths import REPOSITORY

KEY = b"only-jupyter-and-its-kernel-know"
SSH = """#!/bin/sh
case "$*" in *"-O forward"*) exit 0;; esac
cat /proc/[0-9]*/cmdline >FOLDER/every-command-line 2>/dev/null
head -n 1 >FOLDER/first-line
echo listening
"""
KERNEL = """
import sys
from pathlib import Path
from host.notebook import kernel
from host.vm import guests, machine, ssh

folder = Path(sys.argv[1])
ssh.keys, guests.resumed = lambda: folder, lambda profile: machine.Guest(folder, 0, 1)
sys.exit(kernel.main("stock", sys.argv[2]))
"""


@pytest.fixture
def folder(tmp_path):
    """Where ssh and its keys are, and where it notes what it sees."""
    (tmp_path / "guest.pub").write_text("ssh-ed25519 AAAA guest")
    (tmp_path / "ssh").write_text(SSH.replace("FOLDER", str(tmp_path)))
    (tmp_path / "ssh").chmod(stat.S_IRWXU)
    return tmp_path


def test_the_key_of_a_kernels_channels_is_on_no_command_line(folder):
    file, _ = write_connection_file(str(folder / "connection.json"), key=KEY)
    ours = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(REPOSITORY)}
    subprocess.run([sys.executable, "-P", "-c", KERNEL, folder, file], env=ours, check=True, timeout=60)
    seen = (folder / "every-command-line").read_bytes()
    assert [word in seen for word in (b"labs.kernel", KEY)] == [True, False]
    assert KEY in (folder / "first-line").read_bytes()
