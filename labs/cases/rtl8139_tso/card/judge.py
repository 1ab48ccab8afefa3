"""Does the server's card, chosen or fixed, cut to the size that it is asked for? What the evidence of exercises 4 and 5
is held to.

The answer has made another machine of the guest before anything is measured: the judge never looks at the answer, only
at what the card does. It is asked with several MSS, drawn each time, so that no card passes by a size, or by a bit of
one, that it does not look at; and by readers whose TCP has no timestamps, for whom headers are shorter.
"""

import functools
import operator
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from core.serialization import Damaged
from labs.cases.rtl8139_tso.fault import fits
from labs.cases.rtl8139_tso.judge import BOUNDS, HELD_UP_MS
from labs.cases.rtl8139_tso.names import CLAMPED_MSS, SMALL_MSS
from labs.cases.rtl8139_tso.observed import OPTIONS_BYTES, Download
from labs.judge.judging import abstain, answered, complete_observation, require_no_stall

# The report's MSS, and what further ones may be, one of them below the 536 that TCP goes by where nothing is said (RFC
# 9293, 3.7.1) by far: a card that takes no size below some least one is found out.
ASKED_MSS = (range(CLAMPED_MSS, CLAMPED_MSS + 1), range(903, 1300), range(539, 900), SMALL_MSS)
LARGEST_MSS = 1460  # of a reader on the same link: nothing on the way clamps it
WORD_BYTES = 4  # for each remainder there is a size that leaves it
# And of readers without timestamps, where the MSS itself is the size: two, one odd and one even, of which each has the
# bits that the other has not. With small ones, too, the evidence would grow too large.
PLAIN_MSS, PLAIN_REMAINDERS = (range(1148, 1300), range(748, 900)), (1, 2)
SIZE_BITS = 0x7FF  # of the descriptor's size (MSSMask in the guest's 8139cp.c)
SLOWER = BOUNDS["slower_ratio"]
TURNS = 3  # of rates, because a busy machine can leave one download a fifth of its rate


@dataclass
class Turn:
    """A download by the answer's card, and right after it one from another server, both with the report's MSS. Without
    their packets, which would say nothing more."""

    own: Download
    control: Download


@dataclass
class CardDownloads:
    """A download with each MSS, and with each of a `plain` reader, who has no timestamps; whether the file arrived byte
    for byte, and how fast it came beside another server's, by turns; and one of a reader on the server's own link,
    which what was kept earlier has not."""

    asked: list[Download] = field(default_factory=list)
    plain: list[Download] = field(default_factory=list)
    intact: bool | None = None
    turns: list[Turn] = field(default_factory=list)
    on_the_link: Download | None = None

    @property
    def whole(self) -> bool:
        """Whether every part of what was to be seen is there."""
        each = len(self.asked) == len(ASKED_MSS) and len(self.plain) == len(PLAIN_MSS)
        return each and self.intact is not None and len(self.turns) == TURNS


def drawn() -> list[int]:
    """One MSS of each range, which together tell whether a size is taken as it is, bit by bit and in words."""
    while not telling(sizes_of(found := [random.choice(sizes) for sizes in ASKED_MSS])):
        pass
    return found


def drawn_plain() -> list[int]:
    """Draw one MSS of each range in PLAIN_MSS."""
    larger = random.choice([mss for mss in PLAIN_MSS[0] if mss % WORD_BYTES in PLAIN_REMAINDERS])
    return [larger, SIZE_BITS - larger]


def sizes_of(asked: Sequence[int]) -> list[int]:
    """What the driver asks for with these MSS, of readers with timestamps."""
    return [mss - OPTIONS_BYTES for mss in asked]


def telling(sizes: Sequence[int], remainders: Sequence[int] = range(WORD_BYTES)) -> bool:
    """Whether in these sizes each bit is once set and once not, and each of these remainders by a word is left."""
    bits = functools.reduce(operator.or_, sizes) == SIZE_BITS and not functools.reduce(operator.and_, sizes)
    return bits and {size % WORD_BYTES for size in sizes} >= {*remainders}


def which(seen: CardDownloads) -> list[tuple[str, Download]]:
    """Each download, those without timestamps first, with what ends the ids of its checks."""
    plain = [(f"-plain-{number}", each) for number, each in enumerate(seen.plain, 1)]
    wide = [("-on-the-link", seen.on_the_link)] if seen.on_the_link else []
    return [*plain, *((f"-{number}", each) for number, each in enumerate(seen.asked, 1)), *wide]


def cut_to_size(evidence: Evidence, verdict: Verdict, control: str) -> CardDownloads:
    """Each download held to its MSS, and the rates to the other server's. What was seen."""
    seen: CardDownloads = complete_observation(evidence)
    asked, plain = ([each.mss for each in each_of] for each_of in (seen.asked, seen.plain))
    fit = all(mss in sizes for mss, sizes in (*zip(asked, ASKED_MSS), *zip(plain, PLAIN_MSS)))
    if not fit or (seen.whole and not (telling(sizes_of(asked)) and telling(plain, PLAIN_REMAINDERS))):
        found = ", ".join(map(str, (*asked, *plain)))
        raise Damaged(f"expected downloads with {len(ASKED_MSS)} and {len(PLAIN_MSS)} MSS that tell, found {found}")
    if any(each.timestamps for each in seen.plain):
        raise Damaged("expected downloads without timestamps, found some with them")
    if seen.on_the_link and seen.on_the_link.mss != LARGEST_MSS:
        raise Damaged(f"expected a download with an MSS of {LARGEST_MSS}, found {seen.on_the_link.mss}")
    by_turns = [each for turn in seen.turns for each in (turn.own, turn.control)]
    require_no_stall(HELD_UP_MS, *(each for _, each in which(seen)), *by_turns)
    for number, each in which(seen):
        fits(verdict, each, number)
    if seen.intact is not None:
        verdict.expect(
            "same-bytes", seen.intact, "the file arrives byte for byte", "the file that arrives is not the one served"
        )
    if len(seen.turns) == TURNS:
        if {turn.control.server for turn in seen.turns} != {control}:
            raise Damaged(f"expected downloads from {control}")
        fast(verdict, seen, control)
    answered(verdict, evidence.unanswered)
    return seen


def fast(verdict: Verdict, seen: CardDownloads, control: str) -> None:
    """The rate, as a ratio to the control's; no check if a busy machine has made it what it is."""
    rate, other = (median(each) for each in _rates(seen))
    verdict.measured.update(rate_kb_s=round(rate, 1), control_kb_s=round(other, 1))
    if uneven(seen):
        return
    verdict.expect(
        "fast",
        rate >= _least(seen),
        f"the download runs at {rate:.0f} KB/s (the middle one of {TURNS}); from the host {control} at {other:.0f}",
        f"the download runs at {rate:.0f} KB/s (the middle one of {TURNS})",
        expected=f"a {SLOWER:g}th of the {other:.0f} that {control} gives",
    )


def uneven(seen: CardDownloads) -> str:
    """Why it cannot be told whether the card is slow; empty if it can.

    A slow card is slow each time, and a busy machine slows down some downloads and not others: so a card whose middle
    download is too slow is called slow only if its fastest is, beside the control's slowest."""
    own, others = _rates(seen)
    if len(own) < TURNS or median(own) >= _least(seen) or max(own) < min(others) / SLOWER:
        return ""
    listed, beside = (", ".join(f"{each:.0f}" for each in rates) for rates in (own, others))
    return f"the rates say nothing of the card: {listed} KB/s, by turns with {beside} from the server beside it"


def loses(seen: CardDownloads) -> bool:
    """Whether a download that was too slow had segments sent again, which a busy machine alone seldom does: a card that
    loses some at random may be why."""
    return any(turn.own.sent_again and turn.own.rate_kb_s < _least(seen) for turn in seen.turns)


def abstain_where_uneven(verdict: Verdict, seen: CardDownloads) -> None:
    """Raises CouldNotTell as judging.abstain() does, for rates that say nothing; the last that an exercise asks."""
    if loses(seen):
        abstain(verdict, [uneven(seen)], "fast", by_the_answer=True)
    abstain(verdict, [uneven(seen)])


def _least(seen: CardDownloads) -> float:
    """The rate in KB/s below which a card is too slow, beside the control."""
    return median(_rates(seen)[1]) / SLOWER


def _rates(seen: CardDownloads) -> tuple[list[float], list[float]]:
    """The rates of the card's downloads, and those of the control's, in KB/s."""
    return [turn.own.rate_kb_s for turn in seen.turns], [turn.control.rate_kb_s for turn in seen.turns]
