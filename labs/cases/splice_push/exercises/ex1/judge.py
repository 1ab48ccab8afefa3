"""Does a reader's server deliver everything by splice(2), with the length of what there is? What the evidence of an
answer to exercise 1 is held to, beside delivery/judge.py."""

from collections.abc import Callable

from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from labs.cases.splice_push.delivery import system_calls
from labs.cases.splice_push.delivery.judge import (
    TRACED_BYTES,
    Object,
    Served,
    abstain_where_untold,
    asked_and_moved,
    delivered,
)
from labs.cases.splice_push.pages import PIPE_BYTES, of, pages
from labs.judge.judging import Judge, none_of


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 1: by splice(2), with the length of what there is."""
    seen = delivered(evidence, verdict)

    def each(id: str, fault: Callable[[Object], str], right: str) -> None:
        none_of(verdict, id, (fault(one) for one in seen.every if not one.missing_bytes), right)

    each("few-calls", too_many_calls, "no more system calls on the connection than the server makes now")
    each("splice-only", other_calls, "no call but splice(2) sends")
    each("all-spliced", not_spliced, "every byte went by splice(2)")
    each("splice-a-pipeful", too_many_splices, "one splice is made for each pipeful")
    each("exact-length", greedy, "every splice asks for what the pipe holds")
    each("no-more-at-end", says_more, "the last splice of each object does not say that more will come")
    abstain_where_untold(verdict, seen)


def too_many_calls(one: Object) -> str:
    calls, most = len(one.on_connection), pipefuls(one.size)
    return f"{calls} system calls on the connection for {one.size} bytes, where {most} is made now" * (calls > most)


def other_calls(one: Object) -> str:
    others = sorted({system_calls.name(line) for line in one.on_connection} & system_calls.SENDS - {"splice"})
    return f"{', '.join(others)}() instead of, or beside, splice(2)" if others else ""


def not_spliced(one: Object) -> str:
    """Say what did not go by splice(2), by strace, and by the kernel's own functions where those were traced."""
    moved = [sum(moved for _, moved in asked_and_moved(one))]
    if one.size <= TRACED_BYTES:
        moved.append(sum(page.size_bytes for page in pages(one.calls)))
    return "" if {*moved} == {one.size} else f"{min(moved)} of {one.size} bytes went by splice(2), expected all"


def too_many_splices(one: Object) -> str:
    count = max(one.splices, len(asked_and_moved(one)))
    if count <= pipefuls(one.size):
        return ""
    return f"{count} splices where {pipefuls(one.size)} pipefuls are sent: pages are pushed one by one"


def greedy(one: Object) -> str:
    found = [splice for splice in [*splices(one), *asked_and_moved(one)] if splice[0] > splice[1]]
    return f"a splice asks for more than the pipe holds: {found[0]} bytes" if found else ""


def says_more(one: Object) -> str:
    last = next((line for line in reversed(one.on_connection) if line.startswith("splice(")), "")
    if "SPLICE_F_MORE" not in last:
        return ""
    return f"{one.size} bytes: the last splice says SPLICE_F_MORE, and nothing follows: the end waits"


def pipefuls(size: int) -> int:
    """The number of parts in which an object goes through a pipe."""
    return -(-size // PIPE_BYTES)


def splices(one: Object) -> list[tuple[int, int]]:
    """(bytes asked for, bytes handed over) of each splice, by the kernel's own functions."""
    found: list[list[int]] = []
    for call in of(one.calls, "generic_splice_sendpage", "do_tcp_sendpages"):
        if call.function == "generic_splice_sendpage":
            found.append([call.value, 0])
        elif found:
            found[-1][1] += call.value & 0xFFFFFFFF
    return [(asked, handed) for asked, handed in found]


JUDGE = Judge(Served, judge)
