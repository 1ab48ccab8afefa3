"""Does the workflow that publishes the book call what there is, and start no VM?"""

import re

import yaml

from host.cli import main
from host.paths import REPOSITORY

NEEDS_A_VM = {"start", "up", "reset", "shell", "run", "trace", "check", "record", "bench", "test"}


def test_it_calls_lab_with_options_that_exist_and_starts_no_vm():
    workflow = yaml.safe_load((REPOSITORY / ".github/workflows/pages.yml").read_text())
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    calls = [line.split() for step in steps for line in re.findall(r"\./lab ([^&|\n]*)", step.get("run", ""))]
    assert calls
    for verb, *options in calls:
        assert verb not in NEEDS_A_VM
        known = {name for option in main.commands[verb].params for name in option.opts}
        assert set(options) <= known
    uploaded = [step["with"]["path"] for step in steps if "upload" in step.get("uses", "")]
    assert uploaded == ["_build/html"]
