"""Is evidence judged by what it says, wherever it comes from, and with the standard library alone?"""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from core import cases
from core.cases import exercise
from core.judge.evidence import Evidence, Script, Settings
from core.protocol import LARGEST_EVIDENCE_BYTES
from host.paths import REPOSITORY
from labs.cases.frag_needed.cure.evidence import LARGE, SMALL, Balanced, Bulk, Connections, Ways
from labs.cases.frag_needed.names import CLIENT, VIP
from labs.cases.frag_needed.observed import Observed
from labs.errors import FAULT, RAN_ON
from labs.judge.judging import WHOLE, judge_of, picture, verdict_on, verdict_on_file
from tests.labs.judge.made import (
    BALANCED,
    CURED,
    CURED_TOO,
    RIGHT,
    SETTINGS,
    STALLS,
    TO_SELF,
    for_others,
    mended,
    observed,
    seen,
)
from tests.labs.judge.stored import failed


def test_what_was_right_is_right_also_from_a_file():
    for verdict in (verdict_on(RIGHT), verdict_on_file(RIGHT.text().encode())):
        assert verdict.verdict == "PASS", verdict.text()
        assert "no-stall-direct-b" in [check.id for check in verdict.checks if check.passed]


def through(sidecar: Observed) -> Evidence:
    return seen(mended=Ways(CURED, sidecar))


def balanced(connections: list[Balanced]) -> Evidence:
    return seen(connections=Connections(connections, 2))


def but(seen: Observed, name: str, **changed) -> Observed:
    """With another exchange of this name."""
    exchanges = [replace(each, **changed) if each.name == name else each for each in seen.exchanges]
    return replace(seen, exchanges=exchanges)


def tiny(seen: Observed, name: str, src: str) -> Observed:
    """With tiny segments of this host's in the exchange of this name."""
    ours = [packet for packet in seen.during(name) if packet.src == src]
    return replace(seen, packets=[replace(each, payload_bytes=524) if each in ours else each for each in seen.packets])


@pytest.mark.parametrize(
    "slow", [mended(but(CURED, SMALL, waited_ms=120.0)), through(but(CURED_TOO, SMALL, waited_ms=199.0))]
)
def test_what_is_neither_quick_nor_as_long_as_a_timer_says_nothing(slow):
    assert (verdict_on(slow).verdict, failed(verdict_on(slow))) == ("COULD NOT TELL", [RAN_ON])
    also = replace(slow, seen=replace(slow.seen, fragments=2))
    assert (verdict_on(also).verdict, failed(verdict_on(also))) == ("FAIL", ["no-fragments"])


def test_where_a_machine_makes_a_stall_longer_than_the_timer_a_wait_has_to_be_as_long_to_be_one():
    """379 ms were seen of a stall, and 189 of a right answer beside it."""
    stalled = seen(untouched=Ways(but(STALLS, "B", waited_ms=380.0), STALLS)).seen.untouched
    for waited_ms, verdict in ((150.0, "PASS"), (284.0, "COULD NOT TELL"), (285.0, "FAIL")):
        slow = mended(but(CURED, SMALL, waited_ms=waited_ms))
        found = verdict_on(replace(slow, seen=replace(slow.seen, untouched=stalled)))
        assert found.verdict == verdict, found.text()


@pytest.mark.parametrize(
    "idle_ms, verdict, ids",
    [(90.0, "PASS", []), (110.0, "FAIL", ["no-stall-sidecar-a"]), (None, "FAIL", ["no-stall-sidecar-a"])],
)
def test_nobody_waits_for_a_timer_while_the_processor_is_at_work(idle_ms, verdict, ids):
    """279 ms were seen of a right answer beside another emulator, and 334 of the stall."""
    found = verdict_on(through(but(CURED_TOO, "A", waited_ms=279.0, idle_ms=idle_ms)))
    assert (found.verdict, failed(found)) == (verdict, ids), found.text()


@pytest.mark.parametrize("id, least", [("frag-needed/1", 1400), ("frag-needed/2", 1143), ("frag-needed/3", 1143)])
def test_a_full_segment_carries_what_the_task_names_or_a_share_of_what_the_path_allows(id, least):
    for bytes, verdict in ((least, "PASS"), (least - 1, "FAIL")):
        ways = Ways(observed(10.0, segment_bytes=bytes), observed(10.0, segment_bytes=bytes, port=443))
        evidence = for_others(id, seen(mended=ways).seen) if id != "frag-needed/1" else seen(mended=ways)
        assert verdict_on(evidence).verdict == verdict, verdict_on(evidence).text()


@pytest.mark.parametrize(
    "evidence, id",
    [
        (mended(observed(200.0)), "no-stall-direct-b"),
        (mended(observed(10.0, TO_SELF)), "no-frag-needed-direct"),
        (mended(observed(10.0, segment_bytes=500)), "full-segments"),
        (mended(replace(CURED, packets=[])), "full-segments"),
        (mended(observed(10.0, back_bytes=524)), "full-segments-of-server"),
        (mended(tiny(CURED, "B again", CLIENT)), "full-segments"),
        (mended(but(CURED, "B again", waited_ms=200.0)), "no-stall-direct-b-again"),
        (mended(but(CURED, SMALL, waited_ms=200.0)), "no-stall-direct-a-small"),
        (through(observed(10.0, segment_bytes=524, port=443)), "full-segments"),
        (through(tiny(CURED_TOO, LARGE, CLIENT)), "full-segments"),
        (through(tiny(CURED_TOO, LARGE, VIP)), "full-segments-of-server"),
        (through(observed(200.0, port=443)), "no-stall-sidecar-b"),
        (through(but(CURED_TOO, SMALL, waited_ms=200.0)), "no-stall-sidecar-a-small"),
        (seen(fragments=2), "no-fragments"),
        (seen(told=1), "no-frag-needed-between"),
        (balanced(BALANCED[1:]), "through-balancer"),
        (balanced([*BALANCED[1:], replace(BALANCED[0], src="10.0.0.5:7065")]), "through-balancer"),
        (balanced([*BALANCED[1:], replace(BALANCED[0], server="10.0.0.5:7000")]), "through-balancer"),
        (balanced([*BALANCED[1:], replace(BALANCED[0], service="10.0.0.2:1")]), "through-balancer"),
        (seen(connections=Connections(BALANCED, 0)), "through-sidecar"),
        (seen(bulk=[Bulk(1.0, 9.0)] * 3), "bulk"),
        (seen(sidecar_bulk=[Bulk(1.0, 9.0)] * 3), "bulk-sidecar"),
        (replace(RIGHT, settings=[Settings("balancer", [], [" x "]), SETTINGS[1]]), "balancer-left-alone"),
        (replace(RIGHT, settings=[SETTINGS[0], Settings("server", ["y"])]), "server-left-alone"),
        (replace(seen(fragments=2), script=Script(3, "a\nno such host")), "exit-status"),
        (replace(RIGHT, script=Script(None, "")), "in-time"),
        (replace(RIGHT, script=Script(97, "", ["server"])), "own-hosts"),
        (replace(RIGHT, unanswered="timed out"), "requests-answered"),
        (replace(seen(mended=Ways(), bulk=[]), unanswered="reset"), "requests-answered"),
    ],
)
def test_what_was_wrong_is_wrong_for_its_reason(evidence, id):
    for verdict in (verdict_on(evidence), verdict_on_file(evidence.text().encode())):
        assert verdict.verdict == "FAIL" and id in failed(verdict), verdict.text()


def test_what_counts_of_a_script_is_the_network_that_it_leaves():
    """`grep` without a hit ends with 1, and `ip route del` of a route that is not there with 2."""
    went_wrong = Script(2, "RTNETLINK answers: Operation not permitted\nRTNETLINK answers: No such process")
    assert verdict_on(replace(RIGHT, script=went_wrong)).verdict == "PASS"
    verdict = verdict_on(replace(seen(fragments=2), script=went_wrong))
    assert verdict.verdict == "FAIL" and failed(verdict) == ["exit-status", "not-refused", "no-fragments"]
    assert "No such process" in verdict.reasons[0] and "Operation not permitted" in verdict.reasons[1]


def test_a_script_that_was_refused_at_its_end_says_so_once():
    verdict = verdict_on(replace(seen(fragments=2), script=Script(1, "nsenter: Permission denied")))
    assert failed(verdict) == ["exit-status", "no-fragments"] and "Permission denied" in verdict.reasons[0]


@pytest.mark.parametrize(
    "script, id",
    [
        (Script(97, "", ["server"]), "own-hosts"),
        (Script(None, "", reached=1), "own-hosts"),
        (Script(None, ""), "in-time"),
        (Script(None, "", busy_s=3), "in-time"),
    ],
)
def test_a_script_that_does_what_none_may_is_judged_by_that_alone(script, id):
    verdict = verdict_on_file(replace(RIGHT, script=script, seen=None, settings=[]).text().encode())
    assert verdict.verdict == "FAIL" and failed(verdict) == [id] and len(verdict.reasons) == 1


UNTOUCHED = exercise("frag-needed/1").folder.joinpath("start.sh").read_text()


def test_the_file_to_begin_with_is_not_answered_yet_and_fails():
    waits = mended(observed(200.0))
    untouched = verdict_on(replace(waits, answer=UNTOUCHED + "\n"))
    assert untouched.verdict == "FAIL" and failed(untouched) == ["answered", *failed(verdict_on(waits))]
    assert untouched.reasons[1:] == verdict_on(waits).reasons
    assert "not answered yet" in untouched._repr_html_() and "FAIL" not in untouched._repr_html_()
    assert not verdict_on(replace(waits, answer=UNTOUCHED + "true\n")).unanswered


def test_what_is_right_is_right_even_if_it_is_the_file_to_begin_with():
    """Then the exercise is broken, and tests/vm/test_exercises.py is red."""
    assert verdict_on(replace(RIGHT, answer=UNTOUCHED)).verdict == "PASS"


def held_up(observed: Observed, name: str) -> Observed:
    return replace(observed, exchanges=[replace(e, held_up_ms=(e.name == name) * 1e3) for e in observed.exchanges])


@pytest.mark.parametrize(
    "evidence",
    [
        seen(untouched=Ways(held_up(STALLS, "B"), STALLS)),
        mended(held_up(CURED, "A")),
        replace(mended(held_up(observed(500.0), "B")), unanswered=""),
    ],
)
def test_a_machine_that_stood_still_tells_nothing(evidence):
    verdict = verdict_on(evidence)
    assert verdict.verdict == "COULD NOT TELL" and verdict.inconclusive.id == RAN_ON, verdict.text()


def test_where_nothing_stalled_nothing_is_judged():
    verdict = verdict_on(seen(untouched=Ways(CURED, STALLS)))
    assert verdict.verdict == "SKIP" and failed(verdict) == [FAULT]


def changed(**fields) -> bytes:
    return json.dumps(RIGHT.to_json() | fields).encode()


SPARSE = RIGHT.to_json()["seen"]


@pytest.mark.parametrize(
    "text, said",
    [
        (b"", "expected JSON, found other text"),
        (b"[]", "expected one object of JSON that names its exercise"),
        (b"\xff{}", "expected JSON in UTF-8, found another byte at 0"),
        (b"[" * 100_000, "nested too deeply"),
        (b" " * (LARGEST_EVIDENCE_BYTES + 1), "12 MiB of JSON at most"),
        (changed(schema=2), "schema 1, found another"),
        (changed(schema=True), "schema 1, found another"),
        (changed(exercise="x/9"), "no exercise 'x/9'"),
        (changed(exercise="x" * 1_000_000), "names its exercise"),
        (changed(exercise="splice-push/1"), "evidence.seen: there is no"),
        (changed(verdict="PASS"), "there is no 'verdict' in it"),
        (changed(settings=[]), "expected the settings of balancer, server"),
        (changed(script={"status": "0", "output": ""}), "evidence.script.status: expected int"),
        (changed(seen=None), "it lacks a part"),
        (changed(seen={**SPARSE, "bulk": SPARSE["bulk"][:2]}), "it lacks a part"),
        (changed(seen={**SPARSE, "sidecar_bulk": SPARSE["bulk"][:2]}), "it lacks a part"),
        (changed(seen={name: each for name, each in SPARSE.items() if name != "fragments"}), "it lacks a part"),
        (changed(seen={name: each for name, each in SPARSE.items() if name != "told"}), "it lacks a part"),
        (changed(seen={**SPARSE, "mended": {"direct": SPARSE["mended"]["direct"]}}), "it lacks a part"),
        (changed(seen={**SPARSE, "bulk": [{"untouched_s": 0, "mended_s": 1}] * 3}), "it is not whole (ZeroDivision"),
        (changed(seen={**SPARSE, "fragments": float("nan")}), "evidence.seen.fragments: expected int, found float"),
    ],
    ids=range(21),
)
def test_damaged_evidence_could_not_tell(text, said):
    verdict = verdict_on_file(text)
    assert verdict.verdict == "COULD NOT TELL" and said in verdict.reasons[0], verdict.text()
    assert failed(verdict)[-1] == WHOLE
    assert len(verdict.text()) < 1000


def test_packets_that_quote_without_end_could_not_tell():
    quoted = packet = SPARSE["mended"]["direct"]["packets"][0] | {}
    for _ in range(900):
        quoted = packet | {"quoted": quoted}
    direct = SPARSE["mended"]["direct"] | {"packets": [quoted]}
    text = changed(seen={**SPARSE, "mended": {"direct": direct, "sidecar": direct}})
    assert "nested too deeply" in verdict_on_file(text).reasons[0]


@pytest.mark.parametrize("id", [each.id for case in cases.cases().values() for each in case.exercises])
def test_every_exercise_is_judged_so(id):
    assert judge_of(exercise(id))


def test_judges_and_the_core_know_the_standard_library_and_no_network():
    """In a Python without packages of others: the core, each case's judges, and what all these import."""
    modules = ["labs.judge.judging", "labs.trace.stacks", "book._ext.quoted.kernel_source"]
    core = (file.relative_to(REPOSITORY).with_suffix("") for file in (REPOSITORY / "core").rglob("[!_]*.py"))
    modules += [".".join(file.parts) for file in core]
    judges = (REPOSITORY / "labs/cases").glob("*/exercises/*/judge.py")
    modules += [".".join(file.relative_to(REPOSITORY).with_suffix("").parts) for file in judges]
    program = (
        f"import sys; sys.path.insert(0, {str(REPOSITORY)!r})\n"
        "known = sys.stdlib_module_names | {'core', 'labs', 'book', '__main__'}\n"
        f"import {', '.join(modules)}\nprint([name for name in sys.modules if name.split('.')[0] not in known])"
    )
    result = subprocess.run([sys.executable, "-I", "-S", "-B", "-c", program], capture_output=True, text=True)
    assert len(modules) > 1 and (result.stdout, result.stderr) == ("[]\n", "")


def test_a_notebook_shows_the_ladder_of_what_was_judged():
    verdict = verdict_on(RIGHT)
    verdict.picture = picture(RIGHT)
    assert "<svg" in verdict._repr_html_() and "as it was judged" in verdict._repr_html_()
    assert picture(replace(RIGHT, seen=None)) is picture(seen(mended=Ways())) is None
    assert "<svg" not in verdict_on(RIGHT)._repr_html_()
