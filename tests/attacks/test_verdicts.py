"""Is evidence the judge's? What is printed has to carry the nonce and the hash of this very call, and agree with the
exit status.

An answer is root in its judge's guest; what it can reach there is tried in tests/vm/test_forgery.py. Here it has got to
the judge's output. Before there was a wall, a PASS for the right exercise was enough; now one is not
taken at all, only what it rests on.
"""

import contextlib
import hashlib
from dataclasses import replace

import pytest

from core import cases
from core.judge.check import LONGEST_ID, Check
from core.judge.evidence import Evidence, Script
from core.judge.verdict import of_one
from host.exercises import judging
from labs.errors import RAN_ON
from tests.attacks.conftest import SEALED, judge
from tests.labs.judge.made import RIGHT
from tests.labs.judge.stored import failed
from tests.vm.conftest import held_up

ANSWER = "on client true\n"
OURS = replace(RIGHT, answer=ANSWER)
FAILED = of_one("frag-needed/1", "FAIL", Check("answered", False, "an answer", "it is empty"))  # nothing to take


def sent(evidence: Evidence) -> dict:
    """What a judge prints who sends evidence."""
    return {"exercise": "frag-needed/1", "evidence": evidence.to_json()}


@pytest.fixture
def judged(guest):
    """judged(words) is what the host takes for the verdict if the guest's judge ends by this program; it has evidence
    of a right answer to print, or something else."""

    def call(words: str, printed: dict | None = None) -> dict:
        said = sent(OURS) if printed is None else printed
        return judging._verdict(cases.exercise("frag-needed/1"), ANSWER, guest(judge(said, words)))

    return call


def test_an_honest_one_is_judged_here(judged):
    found = judged(SEALED)
    assert found["verdict"] == "PASS" and found["evidence"]["answer"] == ANSWER and "seal" not in found
    wrong = judged(SEALED, sent(replace(OURS, script=Script(None, ""))))
    assert wrong["verdict"] == "FAIL" and failed(wrong) == ["in-time"]


def test_where_there_is_nothing_to_take_a_verdict_comes_without_its_seal(judged):
    assert judged(f"{SEALED}; sys.exit(1)", FAILED) == FAILED
    untold = FAILED | {"verdict": "COULD NOT TELL"}
    assert judged(f"{SEALED}; sys.exit(4)", untold) == untold


def test_a_pass_without_what_it_rests_on_fails(judged):
    found = judged(SEALED, FAILED | {"verdict": "PASS"})
    assert found["verdict"] == "FAIL" and failed(found) == ["judges-own"]


@pytest.mark.parametrize(
    "words",
    [
        "print(json.dumps(verdict), flush=True); os.kill(os.getpid(), 9)",
        "print(json.dumps(verdict))",
        "print(json.dumps(verdict | {'seal': None}))",
        "print(json.dumps(verdict | {'seal': seal | {'nonce': '0' * 32}}))",
        "print(json.dumps(verdict | {'seal': seal | {'answer_sha256': hashlib.sha256(b'true').hexdigest()}}))",
        "print(json.dumps(verdict | {'seal': {'nonce': nonce}}))",
        f"{SEALED}; sys.stdout.flush(); os.kill(os.getpid(), 9)",
        f"{SEALED}; sys.exit(1)",
        f"{SEALED}; sys.exit(130)",
    ],
)
def test_a_forged_one_fails(judged, words):
    found = judged(words)
    assert found["verdict"] == "FAIL" and failed(found) == ["judges-own"]


@pytest.mark.parametrize(
    "evidence, id",
    [
        (RIGHT, "own-evidence"),
        (replace(OURS, exercise="frag-needed/2"), "own-evidence"),
        (replace(OURS, exercise="frag-needed/9"), "own-evidence"),
        (replace(OURS, seen=None), "evidence-whole"),
    ],
)
def test_evidence_that_is_not_whole_or_of_something_else_could_not_tell(judged, evidence, id):
    found = judged(SEALED, sent(evidence))
    assert found["verdict"] == "COULD NOT TELL" and failed(found)[-1] == id, found


def test_a_former_verdict_is_worth_nothing_a_second_time(judged, tmp_path):
    kept = tmp_path / "verdict"
    first = judged(f"open({str(kept)!r}, 'w').write(json.dumps(verdict | {{'seal': seal}})); {SEALED}")
    assert first["verdict"] == "PASS"
    again = judged(f"print(open({str(kept)!r}).read())")
    assert again["verdict"] == "FAIL" and failed(again) == ["judges-own"]


def test_the_answer_is_hashed_as_it_was_sent(judged):
    found = judged(f"verdict['reasons'] = [seal['answer_sha256']]; {SEALED}; sys.exit(1)", FAILED)
    assert found["reasons"] == [hashlib.sha256(ANSWER.encode()).hexdigest()]


def test_only_a_machine_that_stood_still_is_a_reason_to_try_again(judged):
    """A judge that fails is a defect: if it were tried again, one that fails now and then would pass the tests."""
    untold = of_one("frag-needed/1", "COULD NOT TELL", Check(RAN_ON, None, "", "for 30 ms"))
    assert held_up(judged(f"{SEALED}; sys.exit(4)", untold))
    for words in ("sys.stderr.write('KeyError: x'); sys.exit(70)", "print('[]')"):
        found = judged(words)
        assert found["verdict"] == "COULD NOT TELL" and not held_up(found)


@pytest.mark.parametrize(
    "changed",
    [
        None,
        {},
        ["no"],
        [None],
        [{}],
        [FAILED["checks"][0] | {"id": "Not an id"}],
        [FAILED["checks"][0] | {"id": "a" * (LONGEST_ID + 1)}],
        [FAILED["checks"][0] | {"passed": "yes"}],
        [FAILED["checks"][0] | {"passed": 1}],
        [FAILED["checks"][0] | {"found": 1}],
        [FAILED["checks"][0] | {"says": "{found.__class__}"}],
        [FAILED["checks"][0] | {"more": ""}],
    ],
    ids=str,
)
def test_checks_of_another_form_are_no_verdict(judged, changed):
    found = judged(f"{SEALED}; sys.exit(1)", FAILED | {"checks": changed})
    assert found["verdict"] == "COULD NOT TELL" and failed(found) == ["judged"]


@pytest.mark.parametrize(
    "spent", [[], {"network": "x", "a": 1, "taking": 2.5}, {"network": float("nan"), "taking": 2.5}]
)
def test_of_the_times_that_a_guest_tells_only_numbers_by_known_names_are_taken(spent):
    assert judging._spent({"evidence": {"spent_s": spent}}) == ({"taking": 2.5} if spent else {})
    assert judging._spent({}) == {}


@pytest.mark.parametrize("beside", [{"judging_s": "x"}, {"evidence": ["x"]}, {"took_s": {"wake": "x"}}])
def test_what_is_printed_beside_a_verdict_is_not_taken(guest, monkeypatch, beside):
    """By who has taken over the judge and has its seal: the host adds such things itself."""
    here = guest(judge(FAILED | beside, f"{SEALED}; sys.exit(1)"))
    monkeypatch.setattr(judging.guests, "throwaway", lambda which: contextlib.nullcontext(here))
    found = judging.judge(cases.exercise("frag-needed/1"), ANSWER, "answer.sh")
    assert [*found.pop("took_s")] == ["wake", "start", "judging", "down"] and found == FAILED
