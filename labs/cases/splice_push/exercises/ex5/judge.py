"""Does a reader's program report what nobody pushed? What the evidence of an answer to exercise 5 is held to."""

from dataclasses import dataclass, field

from core.judge.evidence import Evidence
from core.judge.report import Event, Program, compare, require_program_ran
from core.judge.verdict import Verdict
from labs.errors import FAULT, CannotTry
from labs.judge.judging import Judge, observation

# How often each connection is pushed: D by the thread that sends, J by a splice that comes between, L by the one that
# another comes between. And one is as often as it waits for room, and at its end.
PUSHES = {"B": 3, "C": 1, "D": 1, "G": 1, "I": 1, "J": 1, "L": 1, "N": 1}
WAITS, LEAST = "K", 2


@dataclass
class Unpushed:
    """The reader's program, the splices that nobody pushed, with their bytes, and by connection how often the kernel
    called tcp_push()."""

    program: Program
    truth: list[Event] = field(default_factory=list)
    pushes: dict[str, int] = field(default_factory=dict)


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 5: each splice without a push is reported once, with its bytes."""
    seen: Unpushed = observation(evidence)
    require_program_ran(verdict, seen.program)
    truth, reported = seen.truth, seen.program.told
    others = {name: count for name, count in seen.pushes.items() if name != WAITS}
    if others != PUSHES or seen.pushes.get(WAITS, 0) < LEAST:
        expected = f"{PUSHES}, and {LEAST} or more on {WAITS}"
        raise CannotTry(
            f"expected pushes on the connections {expected}, found {seen.pushes}: this is not the broken kernel",
            "./lab run splice-push",
            FAULT,
        )

    def fault(number: int) -> str:
        return f"{truth[number].connection}: {reported[number].value} bytes told, {truth[number].value} handed over"

    compare(
        verdict,
        truth,
        reported,
        "events, one for each splice without a push",
        f"{len(truth)} splices ended without a push",
        "every event has the bytes of its splice",
        fault,
    )


JUDGE = Judge(Unpushed, judge)
