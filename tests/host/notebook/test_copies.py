"""Does a reader's copy of a notebook ask for the machine that its chapter needs?"""

import json

import pytest

from core import cases
from host.notebook import jupyter


@pytest.mark.parametrize("name", cases.cases())
def test_a_copy_names_its_chapters_kernel(tmp_path, monkeypatch, name):
    monkeypatch.setattr(jupyter, "WORK", tmp_path)
    jupyter.copy_for_the_reader()
    copy = json.loads((tmp_path / f"{name}.ipynb").read_text())
    assert copy["metadata"]["kernelspec"]["name"] == jupyter.kernel_name(cases.case(name).profile)
