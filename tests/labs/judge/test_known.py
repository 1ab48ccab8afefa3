"""Does each known answer get the verdict that it deserves, by the evidence that was taken of it in a guest? And does
the verdict turn if the evidence does?

tests/vm/test_exercises.py takes it anew: of some answers in each gate, of all in the parts.
"""

import json
import re
from dataclasses import replace

import pytest

from core.judge.check import read_checks
from core.judge.evidence import SCHEMA
from host.exercises import commands
from labs.judge.judging import verdict_on_file
from tests.labs.judge import stored
from tests.labs.judge.stored import failed

ANSWERS = [
    pytest.param(exercise, kind, path, id=f"{exercise.id}-{kind}-{path.name}")
    for exercise, kind, path in stored.answers()
]
# How a sentence begins that is only understood beside its neighbour.
LEANS = re.compile(r"(and|or|nor|but|it|they|none)\b")
STORED = [answer for answer in ANSWERS if stored.file(*answer.values).exists()]


def verdict_on(evidence: dict):
    return verdict_on_file(json.dumps(evidence).encode())


@pytest.mark.parametrize("exercise, kind, path", STORED)
def test_its_evidence_comes_to_the_verdict_that_it_deserves(exercise, kind, path):
    found = stored.load(stored.file(exercise, kind, path))
    assert found["read_sha256"] == stored.read(exercise), f"stale: {stored.REMAKE}"
    evidence = found["evidence"]
    answer, _ = commands.read(path, exercise)
    assert evidence["schema"] == SCHEMA, f"stale: {stored.REMAKE}"
    assert stored.unnamed(evidence["answer"]) == stored.unnamed(answer), f"stale: {stored.REMAKE}"
    verdict = verdict_on(evidence)
    assert stored.deserves(verdict, kind, path), verdict.text()
    ids = [check.id for check in verdict.all_checks]
    assert len({*ids}) == len(ids) and read_checks(verdict.to_json()["checks"]), "an id is one check's, and an id"
    sentences = [check.sentence for check in verdict.all_checks]
    assert len({*sentences}) == len(sentences), "a sentence in the list says which of several it is about"
    assert not [each for each in sentences if LEANS.match(each)], "a sentence stands alone in the list"


def test_there_is_evidence_of_each_answer_that_gave_any():
    """The others are judged before anything is seen: an untouched file of comments alone, C that does not compile, a
    machine that does not start, a guest that an answer ends."""
    without = {answer.id for answer in ANSWERS if answer not in STORED}
    assert without == NONE, stored.REMAKE


def test_no_hint_makes_evidence_stale_but_what_may_be_touched(tmp_path):
    exercise = stored.EXERCISES["frag-needed/1"]
    text = (exercise.folder / "exercise.toml").read_text()

    def read(text: str) -> str:
        (tmp_path / "exercise.toml").write_text(text)
        return stored.read(replace(exercise, folder=tmp_path))

    assert read(text.replace("hints = [", 'hints = [\n    "One more.",')) == stored.read(exercise)
    assert read(text.replace('allowed = ["client"]', 'allowed = ["client", "server"]')) != stored.read(exercise)


def evidence_of(id: str) -> dict:
    """The stored evidence of an exercise's first solution."""
    answer = next(each for each in stored.answers() if (each[0].id, each[1]) == (id, "solution"))
    return stored.load(stored.file(*answer))["evidence"]


def exchange(seen: dict, way: str, name: str) -> dict:
    return next(each for each in seen[way]["direct"]["exchanges"] if each["name"] == name)


def stall(seen):
    exchange(seen, "mended", "A").update(waited_ms=250.0, idle_ms=240.0)


def lose_a_connection(seen):
    seen["connections"]["balanced"].pop()


def fragment(seen):
    seen["fragments"] = 1


def cut_too_large(seen):
    server = next(packet for packet in seen["fixed"]["packets"] if packet.get("payload_bytes", 0) > 1000)
    server["payload_bytes"] = 1448


def clear_df(seen):
    next(packet for packet in seen["fixed"]["packets"] if packet.get("payload_bytes", 0) > 1000).pop("df")


def drop(seen):
    seen["fixed"]["router_counters"]["IpFragFails"] = 1


def lose_the_end(seen):
    seen["objects"][0]["missing_bytes"] = 1


def ask_for_too_much(seen):
    next(call for call in seen["objects"][0]["calls"] if call["function"] == "generic_splice_sendpage")["value"] += 1


def ask_the_kernel(seen):
    seen["asked"] = 11268


def change_a_setting(seen):
    seen["node"]["changed"][0]["now"] = ["net/ipv4/ip_forward = 1"]


def tell_another_way(seen):
    seen["program"]["told"][0]["value"] ^= 1


NONE = {
    # Comments alone: the answer is empty.
    *(f"frag-needed/{number}-untouched-start.sh" for number in (1, 2, 3, 4)),
    "rtl8139-tso/2-untouched-start.sh",
    *(f"addr-select/{number}-untouched-start.sh" for number in (1, 2)),
    *(f"addr-select/{number}-untouched-start.toml" for number in (4, 5)),
    # There is no such machine.
    "rtl8139-tso/4-wrong-another-card.toml",
    "rtl8139-tso/4-wrong-no-such-option.toml",
    "rtl8139-tso/5-wrong-crashes.c",
    "rtl8139-tso/5-wrong-does-not-compile.c",
    # The answer stops the guest's kernel.
    "splice-push/4-wrong-hangs.c",
    "splice-push/4-wrong-oops.c",
}
MUTATIONS = [
    ("frag-needed/1", stall, "no-stall-direct-a"),
    ("frag-needed/1", lose_a_connection, "through-balancer"),
    ("frag-needed/1", fragment, "no-fragments"),
    ("rtl8139-tso/2", cut_too_large, "within-mss"),
    ("rtl8139-tso/2", clear_df, "df"),
    ("rtl8139-tso/2", drop, "not-dropped"),
    ("splice-push/1", lose_the_end, "delivered"),
    ("splice-push/1", ask_for_too_much, "exact-length"),
    ("addr-select/1", ask_the_kernel, "few-questions"),
    ("addr-select/1", change_a_setting, "only-the-setting"),
    ("frag-needed/5", tell_another_way, "reports-right"),
]


@pytest.mark.parametrize("exercise, change, id", MUTATIONS, ids=lambda each: getattr(each, "__name__", None))
def test_a_change_in_what_was_seen_turns_the_verdict(exercise, change, id):
    evidence = evidence_of(exercise)
    assert verdict_on(evidence).verdict == "PASS"
    change(evidence["seen"])
    verdict = verdict_on(evidence)
    assert verdict.verdict == "FAIL" and id in failed(verdict), verdict.text()


def test_a_change_of_another_host_turns_the_verdict():
    evidence = evidence_of("frag-needed/1")
    evidence["settings"][0]["now"] = ["net/ipv4/ip_forward = 1"]
    verdict = verdict_on(evidence)
    assert failed(verdict) == ["balancer-left-alone"] and "net/ipv4/ip_forward = 1" in verdict.reasons[0]
