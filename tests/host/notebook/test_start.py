"""Does `./lab start CASE` open that case's notebook?"""

import pytest

from host.errors import LabError
from host.notebook import jupyter, server


def test_the_named_notebook_is_opened():
    opened = jupyter.notebook_of("frag-needed")
    command = server.command(8888, False, opened, ["lab-vm"])
    assert f"--ServerApp.root_dir={jupyter.WORK}" in command and jupyter.WORK.name == "work"
    assert "--LabApp.default_url=/lab/tree/frag-needed.ipynb" in command


def test_an_unknown_case_names_the_known_ones():
    with pytest.raises(LabError, match="no case 'nowhere'; there are: frag-needed"):
        jupyter.notebook_of("nowhere")
