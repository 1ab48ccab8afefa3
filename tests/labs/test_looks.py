"""Is a look that cannot tell the fault from health, or from its look-alike, found out? Its outputs are made up here."""

import json
from dataclasses import replace

import pytest

from host.paths import REPOSITORY
from labs import looks
from labs.looks import Look, LookResults

CASES = sorted(REPOSITORY.glob("labs/cases/*/looks.toml"))
FAULT, HEALTH, ALIKE = "asks\nwaits by persist\n", "asks\nwaits for nothing\n", "asks\nwaits by on\n"
LOOK = Look("timer", "client", "ss", "by persist$", alike="by on$", cause="a lost segment")


def taken(look: Look = LOOK, fault: str = FAULT, health: str = HEALTH, alike: str = ALIKE) -> LookResults:
    """One look, and what it said."""
    return LookResults([look], {look.id: fault}, {look.id: health}, {look.id: alike} if look.alike else {})


def said(*arguments, **outputs) -> str:
    """What is said of the look, with whether it is good."""
    return str(taken(*arguments, **outputs).claims[0])


def test_a_good_look_says_what_it_tells():
    assert said() == "yes timer on client: tells the fault from health, tells a lost segment from it"
    assert said(replace(LOOK, alike="", cause="")) == "yes timer on client: tells the fault from health"
    assert said(replace(LOOK, expect="")) == "yes timer on client: tells a lost segment from it"
    assert taken().reproduced


@pytest.mark.parametrize(
    "outputs, words",
    [
        ({"fault": HEALTH}, "does not find it"),
        ({"health": FAULT}, "finds it where nothing is wrong, too"),
        ({"alike": ALIKE + FAULT}, "finds it in a lost segment, too"),
        ({"alike": HEALTH}, "does not find a lost segment"),
        ({"fault": FAULT + ALIKE}, "finds a lost segment where the fault is, too"),
        ({"health": ALIKE}, "finds a lost segment where nothing is wrong, too"),
    ],
)
def test_one_that_cannot_tell_says_why(outputs, words):
    assert said(**outputs) == f"NO  timer on client: {words}"
    assert not taken(**outputs).reproduced


def test_all_that_is_wrong_is_said():
    assert said(fault=ALIKE).endswith("does not find it; finds a lost segment where the fault is, too")


def test_what_a_look_says_of_itself_lets_it_match():
    assert said(replace(LOOK, describes=True), health=FAULT).startswith("yes timer on client: only describes")
    assert not taken(replace(LOOK, describes=True), fault=HEALTH).reproduced
    assert taken(replace(LOOK, common=True), alike=ALIKE + FAULT).reproduced
    assert not taken(replace(LOOK, common=True), alike=FAULT).reproduced
    assert taken(replace(LOOK, acquits=True), health=ALIKE).reproduced
    assert not taken(replace(LOOK, acquits=True), fault=FAULT + ALIKE).reproduced


@pytest.mark.parametrize(
    "words, message",
    [
        ("", "expected `expect` or `alike`, found neither"),
        ("expect = 'a'\ncommon = true", "expected `alike` with `common` or `acquits`"),
        ("expect = 'a'\nacquits = true", "expected `alike` with `common` or `acquits`"),
        ("alike = 'a'", "expected `look_alike` at the file's top"),
    ],
)
def test_a_look_that_could_tell_nothing_is_not_read(tmp_path, words, message):
    file = tmp_path / "looks.toml"
    file.write_text(f'[[look]]\nid = "timer"\non = "client"\ncommand = "ss"\n{words}\n')
    with pytest.raises(ValueError, match=message):
        looks.read(file)


def test_only_a_look_for_the_look_alike_has_its_cause(tmp_path):
    file = tmp_path / "looks.toml"
    one = '[[look]]\nid = "timer"\non = "client"\ncommand = "ss"\nexpect = "persist"\n'
    file.write_text(f'look_alike = "a lost segment"\n{one}{one}alike = "on"\n')
    assert [look.cause for look in looks.read(file)] == ["", "a lost segment"]


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.parent.name)
def test_the_looks_of_each_case_can_be_read(file):
    read = looks.read(file)
    assert len({look.id for look in read}) == len(read) >= 3


def test_there_are_cases():
    assert len(CASES) == 4


def test_a_recording_has_all_three_outputs_and_the_lines_that_tell():
    read = json.loads(json.dumps(taken().to_json()))["timer"]
    assert (read["lines"], read["telling"], read["control"]) == (FAULT.splitlines(), [1], HEALTH.splitlines())
    assert read["tells"] and not read["tells_in_control"]
    assert read["look_alike"] == {
        "cause": "a lost segment",
        "lines": ALIKE.splitlines(),
        "telling": [1],
        "tells": True,
        "tells_with_fault": False,
        "tells_in_control": False,
        "has_the_faults": False,
    }
    assert taken(replace(LOOK, alike="")).to_json()["timer"]["look_alike"] is None


def test_a_look_for_the_look_alike_alone_marks_no_line_of_the_fault():
    read = taken(replace(LOOK, expect="")).to_json()["timer"]
    assert read["lines"] == FAULT.splitlines() and read["telling"] == [] and not read["tells"]


def test_lines_that_tell_are_kept_first():
    long = "".join(f"{number}\n" for number in range(100))
    read = taken(alike=long + ALIKE).to_json()["timer"]["look_alike"]
    assert len(read["lines"]) == looks.SHOWN_LINES and read["lines"][:2] == ["0", "1"]
    assert [read["lines"][number] for number in read["telling"]] == ["waits by on"]


@pytest.mark.parametrize("refused, tells", [(0, False), (1, False), (10, False), (11, True), (15, True), (120, True)])
def test_path_mtu_discovery_of_a_new_connection_is_not_taken_for_a_wrong_offload(refused, tells):
    (look,) = (each for each in looks.read(REPOSITORY / "labs/cases/rtl8139_tso/looks.toml") if each.id == "refused")
    assert look.tells(f"#kernel\nIpFragFails                     {refused:<19}0.0\n") == tells
