"""Is our change to QEMU as small as it says, and is a failed build told in one line?"""

import re

import pytest

from core import cases
from host.debian import installed
from host.paths import VM_IMAGE
from host.vm import cards, profile, qemu

RECIPES = sorted(path for path in (VM_IMAGE / "qemu").iterdir())


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.name)
def test_a_recipe_states_its_licence(recipe):
    for file in [*recipe.glob("*.patch"), *recipe.glob("tree/hw/**/*.inc")]:
        assert "SPDX-License-Identifier: GPL-2.0" in file.read_text(), file


def test_the_patch_adds_a_few_lines_and_takes_none_away():
    patch = (VM_IMAGE / "qemu" / "rtl8139" / "tso-mtu.patch").read_text()
    changed = re.findall(r"^[+-](?![+-]{2} ).*", patch, re.MULTILINE)
    assert len(changed) < 15 and all(line.startswith("+") for line in changed)


@pytest.mark.parametrize(
    "said, cause",
    [
        ("[1/9] Compiling\nFAILED: x.o\nx.c:3:1: error: no", "FAILED: x.o"),
        ("Found\n../source/meson.build:2768:2: ERROR: Problem encountered: fdt not available", "fdt not available"),
        ("x\ncc1: No space left on device\n", "the disk is full"),
        ("it said nothing of use", "see the log"),
    ],
)
def test_a_failed_step_names_its_cause_and_the_log(said, cause, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    qemu.log_file().write_text(said)
    assert cause in qemu.cause() and str(qemu.log_file()) in qemu.cause()


def test_what_builds_qemu_is_not_asked_of_who_does_not_build_it():
    assert "cc" in installed.QEMU_BUILD and not set(installed.LAB) & set(installed.QEMU_BUILD)
    assert {"qemu-system-x86_64", "mmdebstrap", "ssh", "xz", "ctags"} <= set(installed.LAB)


def test_a_header_that_is_not_there_names_its_package(monkeypatch):
    monkeypatch.setitem(installed.PACKAGES, "/usr/include/nosuch.h", "libnosuch-dev")
    assert installed.missing(["/usr/include/nosuch.h"]) == ["libnosuch-dev"]


EXERCISES = {e.id: e for case in cases.cases().values() for e in case.exercises}
DEVICES = [id for id, e in EXERCISES.items() if e.applies == "device"]
PROFILES = [id for id, e in EXERCISES.items() if e.applies == "profile"]


def recipe_of(id: str):
    return VM_IMAGE / "qemu" / profile.profile(cases.case(id.partition("/")[0]).profile).recipe


def code(text: str) -> str:
    """C without its comments and without its white space."""
    return "".join(re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL).split())


def test_every_exercise_applies_in_a_way_that_there_is():
    assert {e.applies for e in EXERCISES.values()} <= {"guest", "profile", "device"}


@pytest.mark.parametrize("id", DEVICES)
def test_a_reader_begins_with_the_device_as_it_is_built(id):
    ours = recipe_of(id) / "tree" / EXERCISES[id].replaces
    assert code(EXERCISES[id].start.read_text()) == code(ours.read_text())


@pytest.mark.parametrize("id", PROFILES)
def test_a_reader_begins_with_the_cards_as_they_are(id):
    ours = profile.profile(cases.case(id.partition("/")[0]).profile).cards
    assert set(EXERCISES[id].may_change) <= {card.name for card in ours}
    assert cards.chosen(ours, EXERCISES[id].start.read_text(), EXERCISES[id].may_change) == ()
