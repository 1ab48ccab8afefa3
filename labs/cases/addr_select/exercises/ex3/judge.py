"""Does a program send without having the kernel look through its addresses? What the evidence of an answer to
exercise 3 is held to."""

from dataclasses import dataclass, field

from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from core.serialization import Damaged
from labs.cases.addr_select.cure.judge import looks_through_all
from labs.cases.addr_select.names import NODE, REPORTED
from labs.judge.judging import Judge, judge_script, observation

PEERS = ("2001:db8:2::2", "2001:db8:2::3")
PACKETS = 10  # to each peer
CHOICES = 2  # for each peer, at most: to look up which source it would be, and to connect; and not one for each packet
AT_MOST = 25 * REPORTED * CHOICES * len(PEERS)  # questions


@dataclass
class Sent:
    """The questions that the kernel asked for a packet of an unconnected socket, those that it asked while the program
    ran, and by peer the source of each packet that came, and how often the kernel chose a source for that peer."""

    asked_before: int
    asked: int | None = None
    sources: list[list[str]] = field(default_factory=list)
    choices: list[int] = field(default_factory=list)


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 3: all packets arrive, from the node's own address, and few questions are asked."""
    seen: Sent = observation(evidence)
    if not evidence.script:
        raise Damaged("it lacks what became of the program")
    looks_through_all(seen.asked_before)
    judge_script(verdict, evidence, "what is not the program's here: no setting, no route")
    if not len(seen.sources) == len(seen.choices) == len(PEERS) or seen.asked is None:
        raise Damaged("it lacks what the peers received, or what the kernel asked and chose")
    counts = [len(one) for one in seen.sources]
    verdict.measured.update(questions=seen.asked, choices=seen.choices, received=counts)
    verdict.expect(
        "packets-arrive",
        counts == [PACKETS] * len(PEERS),
        f"each peer received {PACKETS} packets",
        f"the peers received {' and '.join(map(str, counts))} packets",
        expected=f"{PACKETS} each",
    )
    others = sorted({source for one in seen.sources for source in one} - {NODE})
    verdict.expect(
        "own-source",
        not others,
        f"all packets came from {NODE}",
        f"packets come from {', '.join(others)}",
        expected=f"{NODE}: nobody would send the answers there",
    )
    verdict.expect(
        "few-questions",
        seen.asked <= AT_MOST,
        f"the kernel asked {seen.asked} questions for {sum(counts)} packets",
        f"the kernel asked {seen.asked} questions for {sum(counts)} packets",
        expected=f"{AT_MOST} at most: that are {CHOICES} choices for each peer",
    )
    chosen_for(verdict, seen.choices)


def chosen_for(verdict: Verdict, choices: list[int]) -> None:
    """A choice less for one peer pays for none more for another."""
    made = "the kernel made " + " and ".join(f"{count} choices for {peer}" for peer, count in zip(PEERS, choices))
    verdict.expect("few-choices", max(choices) <= CHOICES, made, made, expected=f"{CHOICES} for each at most")


JUDGE = Judge(Sent, judge)
