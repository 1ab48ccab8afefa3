"""What does evidence come to? Judged by its case, with the standard library alone: so it needs no guest.

Each exercise's judge.py, labs/cases/<case>/exercises/ex<n>/judge.py, offers `JUDGE`, a Judge.
"""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from core.cases import Exercise, WrongCall, exercise
from core.judge.check import EXPECTED, FOUND, Check, named
from core.judge.check import WHOLE as WHOLE
from core.judge.evidence import Evidence, Script, Settings, of_kind, read
from core.judge.verdict import Picture, Verdict, VerdictFinal
from core.serialization import Damaged
from labs.case import exercise_module
from labs.errors import RAN_ON, CannotTry, CouldNotTell
from labs.measure.rounds import Round

AGAIN = "the same call again"
RERUN_HINT = "./lab check CASE/N FILE --keep EVIDENCE"
Part = TypeVar("Part")
LACKS_A_PART = "it lacks a part of what was to be seen"
# What a judge may meet in evidence whose parts do not belong together.
NOT_WHOLE = (LookupError, ArithmeticError, AttributeError, TypeError, ValueError, StopIteration, RuntimeError)


@dataclass(frozen=True)
class Judge:
    """How an exercise is judged: `judge(evidence, verdict)` adds its checks; `seen` is the kind of what a case saw.
    `picture(seen)` is what a notebook shows below the verdict, or None: of the very packets that were judged."""

    seen: type
    judge: Callable[[Evidence, Verdict], None]
    picture: Callable[[Any], Picture | None] = lambda seen: None


def judge_of(asked: Exercise) -> Judge:
    """The judge of this exercise's evidence."""
    found: Judge = exercise_module(asked, "judge").JUDGE
    return found


def verdict_on(evidence: Evidence) -> Verdict:
    """The verdict that evidence comes to. COULD NOT TELL if the machine stood still while it was taken."""
    verdict, asked = Verdict(evidence.exercise), exercise(evidence.exercise)
    ours = judge_of(asked)
    try:
        with contextlib.suppress(VerdictFinal):
            ours.judge(evidence, verdict)
    except CannotTry as reason:
        verdict.skipped = undecided(reason.check, reason, reason.next_command)
    except CouldNotTell as reason:
        verdict.inconclusive = undecided(reason.check, reason, AGAIN)
        verdict.by_the_answer = reason.by_the_answer
    if verdict.verdict == "FAIL" and asked.is_untouched(evidence.answer):
        verdict.unanswered = "it is the file to begin with, as it was"
    if evidence.script and verdict.verdict == "FAIL":
        _complain(verdict, evidence.script)
    return verdict


def _complain(verdict: Verdict, script: Script) -> None:
    """What went wrong while the script ran stands first: it may be why the network is not what it should be."""
    said = " ".join(verdict.reasons)
    complaints = []
    if script.ended_badly not in said:
        complaints.append(Check("exit-status", False, "status 0", script.ended_badly))
    if script.refused not in " ".join([said, *(complaint.found for complaint in complaints)]):
        refused = f"the kernel refused it something: {script.refused}"
        complaints.append(Check("not-refused", False, "nothing that the kernel refuses", refused))
    verdict.checks[:0] = complaints


def undecided(id: str, reason: object, next_command: str) -> Check:
    """What could not be told, or not be tried: why, and what to type next."""
    return Check(id, None, "", f"{reason}. Next: {next_command}")


def picture(evidence: Evidence) -> Picture | None:
    """What there is to be shown of it."""
    return judge_of(exercise(evidence.exercise)).picture(evidence.seen) if evidence.seen else None


def verdict_on_file(text: bytes) -> Verdict:
    """The verdict on a file of evidence, which anybody may have written: COULD NOT TELL if it is damaged."""
    id = "evidence"
    try:
        found = read(text)
        ours = judge_of(exercise(found["exercise"]))
        id = found["exercise"]
        return verdict_on(of_kind(ours.seen, found))
    except (Damaged, WrongCall) as reason:
        return Verdict(id, inconclusive=undecided(WHOLE, reason, RERUN_HINT))
    except NOT_WHOLE as error:
        return Verdict(
            id, inconclusive=undecided(WHOLE, f"it is not whole ({type(error).__name__}: {error})", RERUN_HINT)
        )


def observation(evidence: Evidence) -> Any:
    """What the case has seen. Raises Damaged if that is missing."""
    if not evidence.seen:
        raise Damaged(LACKS_A_PART)
    return evidence.seen


def complete_observation(evidence: Evidence) -> Any:
    """What the case has seen, with all its parts (`whole`), unless a workload got no answer: then there is what was
    seen before."""
    seen = observation(evidence)
    if not seen.whole and not evidence.unanswered:
        raise Damaged(LACKS_A_PART)
    return seen


def there(part: Part | None) -> Part:
    """A part that what has been judged so far rests on. Raises Damaged if it is missing."""
    if part is None:
        raise Damaged(LACKS_A_PART)
    return part


def script_in(evidence: Evidence) -> Script:
    """What became of the answer. Raises Damaged if that is missing."""
    if evidence.script is None:
        raise Damaged("it lacks what became of the answer")
    return evidence.script


def require_no_stall(bound_ms: float, *measured: Round) -> None:
    """Raises CouldNotTell if the machine stood still for longer than this while one of these was measured."""
    longest_ms = max((each.held_up_ms for each in measured), default=0.0)
    if longest_ms > bound_ms:
        raise CouldNotTell(
            f"the machine stood still for {longest_ms:.0f} ms while the answer was measured, "
            f"expected {bound_ms:.0f} at most",
            RAN_ON,
        )


def excusing_ms(patience_s: float) -> float:
    """How long a stop of the machine has to be, in ms, to be why nothing came in so many seconds: half of them, because
    what comes at all comes in a fraction of the rest."""
    return patience_s * 1e3 / 2


def abstain(verdict: Verdict, untold: Iterable[str], check: str = RAN_ON, by_the_answer: bool = False) -> None:
    """Raises CouldNotTell with the first of these sentences on what the machine has kept from being told, if there are
    any, and if no check failed: a failure of something else stands. So it is the last that a judge asks. `check` is the
    id of what could not be told, `by_the_answer` what CouldNotTell says of it."""
    for reason in filter(None, untold):
        if verdict.verdict != "FAIL":
            raise CouldNotTell(reason, check, by_the_answer)


def judge_script(verdict: Verdict, evidence: Evidence, refused: str = "") -> None:
    """A script that does what no answer may is judged by that alone; its exit status is none of it, for what counts is
    the network that it leaves. A program without root's rights, which may be `refused` something, has to end with
    status 0, and it is said that it was refused, if it was. The check has the id of the first thing that it did."""
    script = script_in(evidence)
    problems = script.problems()
    if refused:
        problems += [("exit-status", script.ended_badly)] if script.ended_badly else []
        if problems and script.refused:
            problems.insert(0, ("without-root", f"the program was refused {refused}"))
    id, found = (problems[0][0], "; ".join(said for _, said in problems)) if problems else ("ran", "")
    if not verdict.expect(id, not problems, "the script ran to its end", found):
        raise VerdictFinal


def nothing_left_running(verdict: Verdict, evidence: Evidence) -> None:
    """What has to stay may not rest with a process: it may undo that later, and nobody starts it after a reboot."""
    left = script_in(evidence).left
    verdict.expect(
        "nothing-left-running",
        not left,
        "what was set stays without any process",
        f"the answer has left {left} {'process' if left == 1 else 'processes'} running",
        expected="none, because what you set has to stay",
    )


def answered(verdict: Verdict, unanswered: str) -> None:
    """A workload that got no answer fails the verdict, with what was found instead."""
    if unanswered:
        verdict.fail("requests-answered", "every request to be answered", unanswered, f"{EXPECTED}, found: {FOUND}")


def left_alone(verdict: Verdict, settings: list[Settings]) -> None:
    """The hosts that are not the answer's to change have to be what they were."""
    for host in settings:
        verdict.expect(
            f"{named(host.host)}-left-alone",
            not host.change,
            f"{host.host} is as it was",
            f"{host.host} was changed, which this exercise leaves as it is: {host.change}",
        )


def others_left_alone(verdict: Verdict, evidence: Evidence, hosts: Sequence[str]) -> None:
    """Check in evidence that the other hosts were left alone; none of the network's other hosts may be missing."""
    others = [host for host in hosts if host not in exercise(evidence.exercise).allowed]
    if sorted(host.host for host in evidence.settings) != sorted(others):
        raise Damaged(f"expected the settings of {', '.join(others)}")
    left_alone(verdict, evidence.settings)


def none_of(verdict: Verdict, id: str, faults: Iterable[str], right: str) -> None:
    """One check: the first of these sentences, if there are any, and how many more."""
    found = [fault for fault in faults if fault]
    more = f" (and {len(found) - 1} more like it)" if len(found) > 1 else ""
    verdict.expect(id, not found, right, f"{found[0]}{more}" if found else "")
