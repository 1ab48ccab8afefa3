"""Is a check data, and is what a person reads made of it?"""

import json

import pytest

from core.judge.check import EXPECTED_FOUND, Check, lines, named, read_checks
from core.judge.verdict import Verdict
from core.serialization import Damaged

PASSED = Check("no-fragments", True, "none", "no packet was fragmented")
FAILED = Check("few-questions", False, "100 at most", "7 were asked", EXPECTED_FOUND)
UNDECIDED = Check("machine-ran-on", None, "", "it stood still. Next: the same call again")


def verdict() -> Verdict:
    found = Verdict("frag-needed/1")
    found.expect("ran", True, "it ran", "it did not")
    found.expect("no-stall", False, "B waits 3 ms", "B waits 9 ms", expected="4 at most")
    found.expect("own-hosts", False, "nothing else was touched", "the router was touched")
    found.fail("loads", "a program that loads", "it is empty")
    return found


def test_a_sentence_is_made_of_what_was_expected_and_found():
    assert verdict().reasons == ["B waits 9 ms, expected 4 at most", "the router was touched", "it is empty"]
    assert FAILED.sentence == "expected 100 at most, found 7 were asked"
    assert PASSED.sentence == "no packet was fragmented"


def test_words_of_an_answer_are_no_format():
    assert Check("x", False, "{found} {0}", "{expected}", EXPECTED_FOUND).sentence == (
        "expected {found} {0}, found {expected}"
    )


def test_what_is_expected_is_there_whether_it_passed_or_not():
    assert [check.expected for check in verdict().checks] == [
        "it ran",
        "4 at most",
        "nothing else was touched",
        "a program that loads",
    ]


def test_nothing_passes_that_was_not_looked_at():
    assert Verdict("x").verdict == "FAIL" and Verdict("x").all_checks == []
    assert Verdict("x", checks=[PASSED]).verdict == "PASS"
    assert Verdict("x", checks=[PASSED, FAILED]).verdict == "FAIL"
    assert Verdict("x", checks=[FAILED], inconclusive=UNDECIDED).verdict == "COULD NOT TELL"
    assert Verdict("x", checks=[FAILED], skipped=UNDECIDED).verdict == "SKIP"
    assert Verdict("x", checks=[PASSED], unanswered="it is empty").verdict == "FAIL"


def test_all_that_was_looked_at_is_in_the_json_as_data():
    found = json.loads(json.dumps(Verdict("x", checks=[PASSED, FAILED], inconclusive=UNDECIDED).to_json()))
    assert found["reasons"] == ["it stood still. Next: the same call again"]
    assert [(check["id"], check["passed"]) for check in found["checks"]] == [
        ("no-fragments", True),
        ("few-questions", False),
        ("machine-ran-on", None),
    ]
    assert [check.to_json() for check in read_checks(found["checks"])] == found["checks"]


def test_a_list_shows_what_passed_and_else_what_was_expected():
    assert lines([PASSED, FAILED, UNDECIDED]) == [
        "  yes  no packet was fragmented",
        "  NO   few-questions",
        "       expected: 100 at most",
        "       found:    7 were asked",
        "  ?    machine-ran-on",
        "       found:    it stood still. Next: the same call again",
    ]


@pytest.mark.parametrize("passed", [True, False, None])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\x85", "\u2028"])
def test_no_words_begin_a_line_of_their_own(passed, end):
    shown = lines([Check("x", passed, f"a{end}PASS", f"b{end}PASS")])
    assert len("\n".join(shown).splitlines()) == len(shown) and not [
        line for line in shown if line[:5].strip() == "PASS"
    ]
    assert all(line.startswith("  ") for line in shown)


def test_a_notebook_shows_the_same_list_and_obeys_no_words():
    shown = Verdict("x", checks=[PASSED, Check("y", False, "<b>", "<i>")], inconclusive=UNDECIDED)._repr_html_()
    assert shown.count("<li>") == 3 and "no packet was fragmented" in shown
    assert "expected: &lt;b&gt;" in shown and "found: &lt;i&gt;" in shown and "<i>" not in shown
    assert "✓" in shown and "✗" in shown and "could not tell" in shown


@pytest.mark.parametrize(
    "words, id", [("A small", "a-small"), ("mtu_lock.df", "mtu-lock-df"), ("by tee(2)", "by-tee-2")]
)
def test_a_name_is_a_part_of_an_id(words, id):
    assert named(words) == id


@pytest.mark.parametrize("found", [{}, None, [PASSED.to_json() | {"id": ""}], [PASSED.to_json() | {"id": "-a"}]])
def test_what_is_no_list_of_checks_is_damaged(found):
    with pytest.raises(Damaged):
        read_checks(found)
