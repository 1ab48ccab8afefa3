"""Does the workflow that publishes the book call what there is, and start no VM?"""

import re

import yaml

from host.cli import main
from host.paths import REPOSITORY

MOUNTS = {"tab", "book"}  # fetch from Debian's archive by mmdebstrap, see host/debian/namespaces.py
NEEDS_A_VM = {"start", "up", "reset", "shell", "run", "trace", "check", "record", "bench", "test"}


WORKFLOW = yaml.safe_load((REPOSITORY / ".github/workflows/pages.yml").read_text())
STEPS = [step for job in WORKFLOW["jobs"].values() for step in job["steps"]]


def test_it_calls_lab_with_options_that_exist_and_starts_no_vm():
    calls = [line.split() for step in STEPS for line in re.findall(r"\./lab ([^&|\n]*)", step.get("run", ""))]
    assert calls
    for verb, *words in calls:
        assert verb not in NEEDS_A_VM
        known = {name for option in main.commands[verb].params for name in option.opts}
        assert {word for word in words if word.startswith("-")} <= known
    uploaded = [step["with"]["path"] for step in STEPS if "upload" in step.get("uses", "")]
    assert uploaded == ["_build/html"]


def test_its_container_may_mount_where_it_calls_what_does():
    """Without it a container's root may not, and `./lab tab` says so and ends."""
    mounting = [
        job
        for job in WORKFLOW["jobs"].values()
        if any(f"./lab {verb}" in step.get("run", "") for step in job["steps"] for verb in MOUNTS)
    ]
    assert mounting and all("--privileged" in job["container"]["options"].split() for job in mounting)


def test_the_tabs_kernel_is_published_with_its_sources_where_the_page_says_they_lie():
    runs = [step["run"] for step in STEPS if "run" in step]
    book = next(step for step in STEPS if "./lab book" in step.get("run", ""))
    place = book["env"]["LAB_TAB_SOURCES"]
    order = [
        next(number for number, run in enumerate(runs) if words in run)
        for words in (
            "./lab tab",
            f"./lab tab --sources _build/{place}",
            "./lab book",
            f"mv _build/{place} _build/html/",
            "du -sm",
        )
    ]
    assert order == sorted(order) and runs[order[0]] == "./lab tab"
