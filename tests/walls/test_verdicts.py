"""Is a verdict the judge's? What is printed has to carry the nonce and the hash of this very call, and agree with the
exit status.

An answer is root in its judge's guest; what it can reach there is tried in tests/vm/test_forgery.py. Here it has got to
the judge's output. Before there was a wall, a PASS for the right exercise was enough.
"""

import hashlib
import json

import pytest

from host import cases
from host.exercises import judging

ANSWER = "on client true\n"
PASS = {"exercise": "frag-needed/1", "verdict": "PASS", "reasons": ["all is well"]}
# A judge: what it is told is on its standard input, the nonce first.
JUDGE = """
import hashlib, json
nonce, _, answer = sys.stdin.read().partition("\\n")
seal = {"nonce": nonce, "answer_sha256": hashlib.sha256(answer.encode()).hexdigest()}
verdict = json.loads(VERDICT)
"""


@pytest.fixture
def judged(guest):
    """judged(words) is what the host takes for the verdict if the guest's judge ends by this program."""

    def call(words: str, verdict: dict = PASS) -> dict:
        program = JUDGE.replace("VERDICT", repr(json.dumps(verdict))) + words
        return judging._verdict(cases.exercise("frag-needed/1"), ANSWER, guest(program))

    return call


HONEST = "print(json.dumps(verdict | {'seal': seal}))"


def test_an_honest_one_is_taken_without_its_seal(judged):
    assert judged(HONEST) == PASS
    failed = PASS | {"verdict": "FAIL"}
    assert judged(f"{HONEST}; sys.exit(1)", failed) == failed
    untold = PASS | {"verdict": "COULD NOT TELL"}
    assert judged(f"{HONEST}; sys.exit(4)", untold) == untold


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
        (f"{HONEST}; sys.stdout.flush(); os.kill(os.getpid(), 9)", "status -9"),
        (f"{HONEST}; sys.exit(1)", "status 1"),
        (f"{HONEST}; sys.exit(130)", "status 130"),
    ],
)
def test_a_forged_one_fails(judged, words, why):
    found = judged(words)
    assert found["verdict"] == "FAIL" and why in found["reasons"][0]


def test_a_former_verdict_is_worth_nothing_a_second_time(judged, tmp_path):
    kept = tmp_path / "verdict"
    first = judged(f"open({str(kept)!r}, 'w').write(json.dumps(verdict | {{'seal': seal}})); {HONEST}")
    assert first == PASS
    again = judged(f"print(open({str(kept)!r}).read())")
    assert again["verdict"] == "FAIL" and "not the judge's" in again["reasons"][0]


def test_the_answer_is_hashed_as_it_was_sent(judged):
    assert judged("verdict['reasons'] = [seal['answer_sha256']];" + HONEST)["reasons"] == [
        hashlib.sha256(ANSWER.encode()).hexdigest()
    ]
