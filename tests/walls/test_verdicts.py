"""Is a verdict the judge's? What is printed has to carry the nonce and the hash of this very call, and agree with the
exit status.

An answer is root in its judge's guest; what it can reach there is tried in tests/vm/test_forgery.py. Here it has got to
the judge's output. Before there was a wall, a PASS for the right exercise was enough.
"""

import hashlib
from dataclasses import replace

import pytest

from host import cases
from host.exercises import judging
from labs.judge.evidence import Evidence, Script
from tests.labs.judge.made import RIGHT
from tests.vm.conftest import held_up
from tests.walls.conftest import SEALED, judge

ANSWER = "on client true\n"
PASS = {"exercise": "frag-needed/1", "verdict": "PASS", "reasons": ["all is well"]}


@pytest.fixture
def judged(guest):
    """judged(words) is what the host takes for the verdict if the guest's judge ends by this program."""

    def call(words: str, verdict: dict = PASS) -> dict:
        return judging._verdict(cases.exercise("frag-needed/1"), ANSWER, guest(judge(verdict, words)))

    return call


def test_an_honest_one_is_taken_without_its_seal(judged):
    assert judged(SEALED) == PASS
    failed = PASS | {"verdict": "FAIL"}
    assert judged(f"{SEALED}; sys.exit(1)", failed) == failed
    untold = PASS | {"verdict": "COULD NOT TELL"}
    assert judged(f"{SEALED}; sys.exit(4)", untold) == untold


@pytest.mark.parametrize(
    "words, why",
    [
        ("print(json.dumps(verdict)); os.kill(os.getpid(), 9)", "not the judge's"),
        ("print(json.dumps(verdict))", "not the judge's"),
        ("print(json.dumps(verdict | {'seal': None}))", "not the judge's"),
        ("print(json.dumps(verdict | {'seal': seal | {'nonce': '0' * 32}}))", "not the judge's"),
        (
            "print(json.dumps(verdict | {'seal': seal | {'answer_sha256': hashlib.sha256(b'true').hexdigest()}}))",
            "not the judge's",
        ),
        ("print(json.dumps(verdict | {'seal': {'nonce': nonce}}))", "not the judge's"),
        (f"{SEALED}; sys.stdout.flush(); os.kill(os.getpid(), 9)", "status -9"),
        (f"{SEALED}; sys.exit(1)", "status 1"),
        (f"{SEALED}; sys.exit(130)", "status 130"),
    ],
)
def test_a_forged_one_fails(judged, words, why):
    found = judged(words)
    assert found["verdict"] == "FAIL" and why in found["reasons"][0]


def sent(evidence: Evidence, and_then: str = "") -> tuple[str, dict]:
    """Words and verdict of a guest that sends evidence in place of a verdict."""
    return f"{SEALED}{and_then}", {"exercise": "frag-needed/1", "evidence": evidence.to_json()}


OURS = replace(RIGHT, answer=ANSWER)


def test_evidence_is_judged_here(judged):
    found = judged(*sent(OURS))
    assert found["verdict"] == "PASS" and found["evidence"]["answer"] == ANSWER
    wrong = judged(*sent(replace(OURS, script=Script(1, "no"))))
    assert (wrong["verdict"], wrong["reasons"]) == ("FAIL", ["it ended with status 1: no"])


def test_evidence_without_its_seal_fails(judged):
    found = judged("print(json.dumps(verdict))", sent(OURS)[1])
    assert found["verdict"] == "FAIL" and "not the judge's" in found["reasons"][0]


@pytest.mark.parametrize(
    "words, said",
    [
        (sent(RIGHT), "found no verdict"),  # of another answer
        (sent(OURS, "; sys.exit(1)"), "found no verdict"),
        (sent(replace(OURS, exercise="frag-needed/4")), "found no verdict"),
        (sent(replace(OURS, exercise="frag-needed/2")), "found no verdict"),
        (sent(replace(OURS, seen=None)), "it lacks a part"),
    ],
)
def test_evidence_that_is_not_whole_or_of_something_else_could_not_tell(judged, words, said):
    found = judged(*words)
    assert found["verdict"] == "COULD NOT TELL" and said in found["reasons"][0], found


def test_a_former_verdict_is_worth_nothing_a_second_time(judged, tmp_path):
    kept = tmp_path / "verdict"
    first = judged(f"open({str(kept)!r}, 'w').write(json.dumps(verdict | {{'seal': seal}})); {SEALED}")
    assert first == PASS
    again = judged(f"print(open({str(kept)!r}).read())")
    assert again["verdict"] == "FAIL" and "not the judge's" in again["reasons"][0]


def test_the_answer_is_hashed_as_it_was_sent(judged):
    assert judged("verdict['reasons'] = [seal['answer_sha256']];" + SEALED)["reasons"] == [
        hashlib.sha256(ANSWER.encode()).hexdigest()
    ]


def test_only_a_machine_that_stood_still_is_a_reason_to_try_again(judged):
    """A judge that fails is a defect: if it were tried again, one that fails now and then would pass the tests."""
    untold = PASS | {"verdict": "COULD NOT TELL", "reasons": ["the machine stood still for 30 ms"]}
    assert held_up(judged(f"{SEALED}; sys.exit(4)", untold))
    for words in ("sys.stderr.write('KeyError: x'); sys.exit(70)", "print('[]')"):
        found = judged(words)
        assert found["verdict"] == "COULD NOT TELL" and not held_up(found)
