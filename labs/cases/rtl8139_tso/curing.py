"""Is the fault fixed, or only hidden? What the scripts of exercises 1 and 2 are held to.

The guest has one broken card, so one topology shows first what is to be fixed, and then what the answer
made of it.
"""

from __future__ import annotations

import contextlib

from labs.cases.rtl8139_tso.judge import FIXED_RATIO, HELD_UP_MS, mechanism
from labs.cases.rtl8139_tso.network import Network
from labs.cases.rtl8139_tso.observed import OPTIONS_BYTES, Download
from labs.cases.rtl8139_tso.remedies import under
from labs.cases.rtl8139_tso.workload import MAX_S, download
from labs.errors import CannotTry
from labs.judge.exercise import Exercise
from labs.judge.judging import held_still
from labs.judge.verdict import Verdict
from labs.net.node import CommandFailed
from labs.take.script import acting, expecting_answers, others_left_alone, undisturbed

# What `ethtool -k` lists of the 8139 that may be off after the answer; all of them are the segmentation.
SEGMENTATION = ("tcp-segmentation-offload", "tx-tcp-segmentation", "tx-tcp-mangleid-segmentation")
FULL_SHARE = 0.75  # of all segments, that carry what the MSS allows: smaller ones cost everybody


def judge_offload(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 2: the card is handed nothing that it has to cut, and keeps its other offloads."""
    undisturbed(verdict, lambda: attempt(exercise, answer, verdict))


def attempt(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """The answer on a network of its own."""
    with Network() as net:
        broken, before = shown_broken(net), features(net)
        with acted_on(exercise, answer, verdict, net):
            seen = answered(download(net))
            fits(verdict, seen)
            fast(verdict, broken, seen)
            lost = sorted(name for name in before - features(net) if name not in SEGMENTATION)
            verdict.expect(not lost, "every other offload is still on", f"more is off than needed: {', '.join(lost)}")


def shown_broken(net: Network) -> Download:
    """A download as it is: it has to show what the answer is to fix, or nothing can be compared."""
    broken = under(net, "as_it_is")
    held_still(HELD_UP_MS, broken)
    if not all(check.held for check in mechanism(broken)):
        raise CannotTry("the untouched server shows no fault, so nothing can be compared", "./lab run rtl8139-tso")
    net.route("server")
    return broken


def answered(seen: Download) -> Download:
    """A download that can be judged: the machine held still, and the server has answered."""
    held_still(HELD_UP_MS, seen)
    if not seen.data:
        raise CommandFailed(f"on the {seen.at}, curl got nothing from {seen.server} in {MAX_S:g} s")
    return seen


@contextlib.contextmanager
def acted_on(exercise: Exercise, answer: str, verdict: Verdict, net: Network):
    """The network as the answer makes it, for the length of the block."""
    with others_left_alone(exercise, verdict, net), acting(exercise, answer, verdict, net), expecting_answers(verdict):
        yield


def features(net: Network) -> set[str]:
    """Names of the offloads that the server's card has on."""
    lines = net["server"].on("ethtool", "-k", "server-eth0").splitlines()[1:]
    return {line.partition(":")[0].strip() for line in lines if line.partition(":")[2].split()[:1] == ["on"]}


def fits(verdict: Verdict, seen: Download) -> None:
    """Segments as the handshake allows, as large as it allows, and none cut or dropped on the way."""
    verdict.measured.update(seen.to_json())
    verdict.expect(
        seen.above_mss == 0,
        f"the largest segment on the wire has {seen.largest_bytes} bytes",
        f"{seen.above_mss} segments are larger than the MSS of {seen.mss}; the largest on the wire has "
        f"{seen.largest_bytes} bytes",
    )
    cut, dropped = seen.router("FragOKs"), seen.router("FragFails")
    verdict.expect(
        cut == 0,
        "the router cuts none",
        f"the router cuts {cut} packets: they are still too large, which is hidden now",
    )
    verdict.expect(dropped == 0, "and drops none", f"the router drops {dropped} packets that are too large")
    full, (common, _) = seen.mss - OPTIONS_BYTES, seen.sizes().most_common(1)[0]
    share = seen.sizes()[full] / len(seen.data)  # a short one ends each write of nginx's
    verdict.measured.update(full_share=round(share, 2))
    verdict.expect(
        share >= FULL_SHARE,
        f"{share:.0%} of the segments are full, with {full} bytes",
        f"{share:.0%} of the segments are full, expected {FULL_SHARE:.0%} at least: the MSS allows {full} "
        f"bytes, and most have {common}",
    )
    verdict.expect(
        seen.without_df == 0,
        "every packet says DF, as before",
        f"{seen.without_df} packets may be fragmented (no DF), expected none",
    )


def fast(verdict: Verdict, broken: Download, seen: Download) -> None:
    """The rate, as a ratio."""
    verdict.expect(
        seen.rate_kb_s >= FIXED_RATIO * broken.rate_kb_s,
        f"{seen.rate_kb_s:.0f} KB/s where it was {broken.rate_kb_s:.0f}",
        f"{seen.rate_kb_s:.0f} KB/s where it was {broken.rate_kb_s:.0f}, expected {FIXED_RATIO} times that",
    )
