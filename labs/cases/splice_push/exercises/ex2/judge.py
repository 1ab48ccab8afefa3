"""Does a reader's server deliver everything another way, and at the cost that it says? What the evidence of an answer
to exercise 2 is held to, beside delivery/judge.py."""

from core.judge.check import named
from core.judge.evidence import Evidence
from core.judge.expression import NoExpression, numbers
from core.judge.verdict import Verdict, VerdictFinal
from labs.cases.splice_push.delivery.judge import Object, Served, abstain_where_untold, asked_and_moved, delivered
from labs.cases.splice_push.pages import PIPE_BYTES
from labs.judge.judging import Judge, none_of

COSTS = ("CALLS", "COPIED_BYTES")


def costs(answer: str) -> dict[str, int]:
    """Map the names of the costs to what an answer says of them, as far as it does. Raises NoExpression if it is no
    Python."""
    said = numbers(answer)
    return {name: int(said[name]) for name in COSTS if name in said and said[name] == int(said[name])}


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 2: not by the exact length, and the costs are as said."""
    try:
        said = costs(evidence.answer)
    except NoExpression as error:
        verdict.fail("readable", "Python", f"the file is no Python: {error}")
        raise VerdictFinal from error
    missing = [name for name in COSTS if name not in said]
    if not verdict.expect(
        "says-costs",
        not missing,
        "the file says what it costs",
        f"the file has to say what it costs: no line `{' = …`, `'.join(missing)} = …`",
    ):
        raise VerdictFinal
    seen = delivered(evidence, verdict)
    none_of(verdict, "not-exact-length", map(exact, seen.every), "splice(2) is not given the exact length")
    first = seen.objects[0]
    verdict.measured.update(calls=first.strace, copied_bytes=first.copied_bytes)
    for name, found in zip(COSTS, (len(first.on_connection), first.copied_bytes)):
        verdict.expect(
            named(name),
            said[name] == found,
            f"{name} = {found}",
            f"{name} is {said[name]} in the file, and {found} by strace",
        )
    abstain_where_untold(verdict, seen)


def exact(one: Object) -> str:
    """What the last splice asks for decides. For whole pipefuls a number may fit that fits no other object."""
    last = next(((asked, moved) for asked, moved in reversed(asked_and_moved(one)) if moved > 0), None)
    if not last or last[0] != last[1] or one.size % PIPE_BYTES == 0:
        return ""
    return f"splice(2) is given the exact length for {one.size} bytes, which is exercise 1's way"


JUDGE = Judge(Served, judge)
