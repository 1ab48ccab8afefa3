"""Does the evidence of a firewall, a setting or a card come to the verdict that it deserves?"""

from dataclasses import replace

import pytest

from core.judge.evidence import Evidence, Script, Settings
from labs.cases.rtl8139_tso.card.judge import (
    ASKED_MSS,
    PLAIN_MSS,
    PLAIN_REMAINDERS,
    CardDownloads,
    Turn,
    drawn,
    drawn_plain,
    sizes_of,
    telling,
)
from labs.cases.rtl8139_tso.exercises.ex1.judge import PORTS, Firewall, Knocked
from labs.cases.rtl8139_tso.exercises.ex2.judge import Offload
from labs.cases.rtl8139_tso.names import HOSTS
from labs.errors import RAN_ON
from labs.judge.judging import verdict_on, verdict_on_file
from tests.labs.judge.made import BROKEN, CUT, download
from tests.labs.judge.stored import failed


def fast(sizes: dict, *, df: bool = True, server: str = "server", tx_packets: int = 3, **more: int):
    seen = download(sizes, df, **more)
    return replace(seen, got_bytes=1_000_000, server=server, card_counters={"tx_packets": tx_packets})


MSS = (1320, 1139, 669, 146)
ASKED = [fast({mss - 12: 9, 100: 2}, mss=mss) for mss in MSS]
PLAIN = [fast({mss: 9, 100: 2}, mss=mss, options=0) for mss in (1261, 786)]
FIXED, *_, SMALL = ASKED
KNOCKED = Knocked(["client", "router", "stranger"], [*PORTS, 4242], {"IcmpMsgInType8": 54})
OPENED = replace(BROKEN, server_counters={"IcmpInDestUnreachs": 2})
OTHERS = [Settings(host) for host in HOSTS if host != "server"]
CONTROL = replace(FIXED, packets=[], server_counters={})


def turns(control: str, *got_bytes: int) -> list[Turn]:
    """Three turns beside `control`, in which the answer's card gets so many bytes; as many as the control, if none are
    named."""
    named = got_bytes or (CONTROL.got_bytes,) * 3
    return [Turn(replace(CONTROL, got_bytes=each), replace(CONTROL, server=control)) for each in named]


ONE = Evidence(
    "rtl8139-tso/1",
    "…",
    "6.1",
    Script(0, "", variables={"DOWNLOAD": "slow"}),
    OTHERS,
    "",
    Firewall(BROKEN, OPENED, 1420, KNOCKED, Settings("server"), Settings("server")),
)
OTHER = fast({170: 9, 100: 2}, mss=170, options=0)
TWO = replace(ONE, exercise="rtl8139-tso/2", seen=Offload(BROKEN, FIXED, ["tcp-segmentation-offload"], OTHER))
FOUR = Evidence("rtl8139-tso/4", "x", "6.1", seen=CardDownloads(ASKED, PLAIN, True, turns("beside")))
FIVE = Evidence("rtl8139-tso/5", "x", "6.1", seen=CardDownloads(ASKED, PLAIN, True, turns("mended")))


def changed(evidence: Evidence, **parts) -> Evidence:
    return replace(evidence, seen=replace(evidence.seen, **parts))


def let(**moved: int) -> Evidence:
    """Whoever knocked was let in, by these counters."""
    return changed(ONE, knocked=replace(KNOCKED, moved=KNOCKED.moved | moved))


def said(word: str) -> Evidence:
    """The answer of exercise 1, with another prediction."""
    return replace(ONE, script=Script(0, "", variables={"DOWNLOAD": word}))


@pytest.mark.parametrize("evidence", [ONE, TWO, FOUR, FIVE], ids="1245")
def test_what_is_right_passes_also_from_a_file(evidence):
    for verdict in (verdict_on(evidence), verdict_on_file(evidence.text().encode())):
        assert verdict.verdict == "PASS", verdict.text()


@pytest.mark.parametrize("shut_out, deserves", [(None, []), ([], []), (["a stranger's ping"], ["still-open"])])
def test_what_was_open_and_is_shut_is_wrong(shut_out, deserves):
    verdict = verdict_on_file(changed(ONE, knocked=replace(KNOCKED, shut_out=shut_out)).text().encode())
    assert failed(verdict) == deserves, verdict.text()


@pytest.mark.parametrize(
    "sizes, deserves", [({1448: 9, 100: 2}, []), ({1368: 9, 100: 2}, ["full-segments-on-the-link"])]
)
def test_a_reader_on_the_servers_link_gets_what_it_asks_for(sizes, deserves):
    evidence = changed(FIVE, on_the_link=fast(sizes, mss=1460))
    assert failed(verdict_on_file(evidence.text().encode())) == deserves


def test_one_slow_download_of_three_is_the_machines():
    assert verdict_on(changed(FIVE, turns=turns("mended", 2, CONTROL.got_bytes, CONTROL.got_bytes))).verdict == "PASS"


UNEVEN = turns("mended", 2, CONTROL.got_bytes, 2)


def test_two_slow_downloads_of_three_do_not_make_the_card_slow():
    verdict = verdict_on(changed(FIVE, turns=UNEVEN))
    assert verdict.verdict == "COULD NOT TELL" and failed(verdict) == [RAN_ON], verdict.text()


def test_a_card_that_may_lose_some_at_random_is_not_measured_until_it_does_not():
    """A machine that is busy slows a download down, and loses nothing."""
    assert not verdict_on(changed(FIVE, turns=UNEVEN)).by_the_answer
    again = [replace(turn, own=replace(turn.own, server_counters={"TcpRetransSegs": 1})) for turn in UNEVEN]
    verdict = verdict_on(changed(FIVE, turns=[*again[:1], *UNEVEN[1:]]))
    assert (verdict.verdict, failed(verdict), verdict.by_the_answer) == ("COULD NOT TELL", ["fast"], True)
    assert not verdict_on(changed(FIVE, turns=[UNEVEN[0], again[1], UNEVEN[2]])).by_the_answer  # the fast one


def test_a_rate_between_the_broken_and_a_fixed_one_says_nothing_where_nothing_was_dropped():
    between = replace(FIXED, got_bytes=2 * BROKEN.got_bytes, server_counters={})
    verdict = verdict_on(changed(TWO, fixed=between))
    assert verdict.verdict == "COULD NOT TELL" and failed(verdict) == [RAN_ON], verdict.text()


def test_what_else_is_wrong_fails_also_where_the_rates_say_nothing():
    handed_cut = replace(SMALL, card_counters={"tx_packets": 11})
    assert failed(verdict_on(changed(FIVE, turns=UNEVEN, asked=[*ASKED[:3], handed_cut]))) == ["card-cuts-4"]
    between = replace(fast({500: 9}), got_bytes=2 * BROKEN.got_bytes, server_counters={})
    assert failed(verdict_on(changed(TWO, fixed=between))) == ["full-segments"]


@pytest.mark.parametrize("lost", [["generic-segmentation-offload"], ["generic-receive-offload", "tx-tcp-segmentation"]])
def test_what_the_kernel_does_itself_may_be_off(lost):
    assert verdict_on(changed(TWO, lost=lost)).verdict == "PASS"


def test_a_segment_without_timestamps_is_full_with_more_bytes():
    full = fast({1320: 9, 100: 2}, options=0)
    assert (
        verdict_on(changed(TWO, fixed=full)).verdict
        == verdict_on(changed(FOUR, asked=[full, *ASKED[1:]])).verdict
        == "PASS"
    )
    verdict = verdict_on(changed(TWO, fixed=fast({1308: 9}, options=0)))
    assert failed(verdict) == ["full-segments"]


def test_what_is_drawn_tells_and_is_drawn():
    draws, plain = ({tuple(draw()) for _ in range(100)} for draw in (drawn, drawn_plain))
    assert len(draws) > 90 and all(telling(sizes_of(draw)) for draw in draws)
    assert len(plain) > 30 and all(telling(draw, PLAIN_REMAINDERS) for draw in plain)
    for found, ranges in ((draws, ASKED_MSS), (plain, PLAIN_MSS)):
        assert all(mss in sizes for draw in found for mss, sizes in zip(draw, ranges, strict=True))


@pytest.mark.parametrize(
    "size",
    [
        *(lambda asked, bit=bit: asked & ~(1 << bit) for bit in range(11)),
        *(lambda asked, bit=bit: asked | 1 << bit for bit in range(11)),
        *(lambda asked, of=of: asked // of * of for of in (2, 4, 8)),
        *(lambda asked, of=of: asked if asked % 2 else asked // of * of for of in (4, 8)),
        *(lambda asked, rest=rest: asked - (asked % 4 == rest) for rest in range(4)),
        *(lambda asked, least=least: max(asked, least) for least in (191, 524)),
        lambda asked: 1308 if asked > 1100 else 988,
        lambda asked: asked + 12,
    ],
)
def test_no_wrong_size_is_right_for_all_that_is_drawn(size):
    assert any(size(mss - 12) != mss - 12 for mss in drawn())


@pytest.mark.parametrize(
    "size",
    [
        *(lambda asked, bit=bit: asked & ~(1 << bit) for bit in range(11)),
        *(lambda asked, bit=bit: asked | 1 << bit for bit in range(11)),
        *(lambda asked, of=of: asked // of * of for of in (2, 4, 8)),
        *(lambda asked, of=of: asked if asked % 2 else asked // of * of for of in (4, 8)),
        lambda asked: asked + 52 - 40,
        lambda asked: asked - 12,
    ],
)
def test_nor_for_readers_without_timestamps(size):
    assert any(size(mss) != mss for mss in drawn_plain())


@pytest.mark.parametrize("word", ["slow", "Slow", "SLOW", " slow "])
def test_a_word_is_the_same_in_capitals(word):
    assert verdict_on(said(word)).verdict == "PASS"


def disagreeing(word: str, broken_bytes: int = 30_000, opened_bytes: int = 102_000, dropped: int = 5) -> Evidence:
    """The prediction, of downloads of which the first was held up, or the second has lost nothing."""
    opened = replace(OPENED, got_bytes=opened_bytes, router_counters={"IpFragFails": dropped})
    return changed(said(word), broken=replace(BROKEN, got_bytes=broken_bytes), opened=opened)


@pytest.mark.parametrize("word", ["slow", "fast"])
def test_a_rate_that_the_drops_contradict_says_nothing(word):
    for evidence in (disagreeing(word), disagreeing(word, 102_000, dropped=0)):
        verdict = verdict_on(evidence)
        assert verdict.verdict == "COULD NOT TELL" and failed(verdict) == [RAN_ON], verdict.text()


def test_what_else_is_wrong_there_fails_all_the_same():
    assert failed(verdict_on(disagreeing(""))) == ["says-download"]
    assert failed(verdict_on(changed(disagreeing("slow"), learnt_mtu=0))) == ["mtu-learnt"]


def test_where_both_say_fast_it_is_fast():
    assert verdict_on(disagreeing("fast", dropped=0)).verdict == "PASS"
    assert failed(verdict_on(disagreeing("slow", dropped=0))) == ["download-predicted"]


@pytest.mark.parametrize(
    "evidence, id",
    [
        (changed(ONE, opened=BROKEN), "icmp-heard"),
        (changed(ONE, learnt_mtu=0), "mtu-learnt"),
        (let(IcmpMsgInType13=1), "other-icmp-out"),
        (let(IcmpMsgInType30=1), "other-icmp-out"),
        (let(IcmpMsgInType0=1, IcmpMsgInType43=6), "other-icmp-out"),
        (let(IcmpMsgInType3=15), "other-icmp-out"),
        (let(TcpInSegs=1), "tcp-ports-shut"),
        (let(IpInUnknownProtos=1), "other-protocols-out"),
        (let(UdpNoPorts=1), "udp-ports-shut"),
        (changed(ONE, rules=Settings("server", [], ["-A OUTPUT"])), "only-incoming"),
        (changed(ONE, server=Settings("server", [], ["a route"])), "only-the-firewall"),
        (said("fast"), "download-predicted"),
        (said(" FAST "), "download-predicted"),
        (said("slow or fast"), "says-download"),
        (replace(ONE, script=Script(0, "")), "says-download"),
        (changed(TWO, fixed=fast(CUT, FragFails=5)), "within-mss"),
        (changed(TWO, fixed=fast({1308: 9}, FragOKs=3)), "not-cut"),
        (changed(TWO, fixed=fast({1308: 9}, df=False)), "df"),
        (changed(TWO, fixed=fast({500: 9})), "full-segments"),
        (changed(TWO, fixed=replace(FIXED, got_bytes=BROKEN.got_bytes)), "fast"),
        (
            changed(TWO, fixed=replace(FIXED, got_bytes=2 * BROKEN.got_bytes, server_counters={"TcpRetransSegs": 9})),
            "fast",
        ),
        (changed(TWO, other=fast({1460: 9}, mss=170, options=0)), "within-mss-other"),
        (changed(TWO, other=fast({158: 9}, mss=170, options=0)), "full-segments-other"),
        (changed(TWO, other=replace(OTHER, router_counters={"IpFragOKs": 2})), "not-cut-other"),
        (changed(TWO, lost=["rx-checksumming"]), "other-offloads-on"),
        (replace(TWO, settings=[Settings("router", ["x"]), *OTHERS[1:]]), "router-left-alone"),
        (replace(changed(TWO, lost=["rx-checksumming"]), script=Script(1, "no")), "exit-status"),
        (replace(TWO, unanswered="curl got nothing", seen=Offload(BROKEN)), "requests-answered"),
        (changed(FOUR, asked=[*ASKED[:3], fast(CUT, mss=146)]), "within-mss-4"),
        (changed(FIVE, plain=[fast({1273: 9}, mss=1261, options=0), PLAIN[1]]), "within-mss-plain-1"),
        (changed(FOUR, plain=[PLAIN[0], fast({774: 9}, mss=786, options=0)]), "full-segments-plain-2"),
        (changed(FIVE, plain=[replace(PLAIN[0], card_counters={"tx_packets": 11}), PLAIN[1]]), "card-cuts-plain-1"),
        (changed(FOUR, intact=False), "same-bytes"),
        (changed(FOUR, turns=turns("beside", 2, 2, 2)), "fast"),
        (changed(FIVE, asked=[*ASKED[:3], replace(SMALL, card_counters={"tx_packets": 11})]), "card-cuts-4"),
        (replace(FIVE, unanswered="curl got nothing", seen=CardDownloads([])), "requests-answered"),
    ],
)
def test_what_is_wrong_fails_for_its_reason(evidence, id):
    for verdict in (verdict_on(evidence), verdict_on_file(evidence.text().encode())):
        assert verdict.verdict == "FAIL" and id in failed(verdict), verdict.text()


STOOD_STILL = replace(FIXED, held_up_ms=1e4)


@pytest.mark.parametrize(
    "evidence",
    [
        changed(ONE, opened=replace(OPENED, held_up_ms=1e4)),
        changed(TWO, broken=replace(BROKEN, held_up_ms=1e4)),
        changed(TWO, fixed=STOOD_STILL),
        changed(FOUR, asked=[*ASKED[:3], replace(SMALL, held_up_ms=1e4)]),
        changed(FIVE, turns=[*FIVE.seen.turns[:2], replace(FIVE.seen.turns[2], own=STOOD_STILL)]),
        changed(FIVE, turns=FIVE.seen.turns[:2]),
        changed(ONE, knocked=None),
        changed(ONE, opened=None),
        changed(TWO, lost=None),
        changed(TWO, other=None),
        changed(TWO, other=FIXED),
        changed(TWO, other=fast({158: 9}, mss=170)),
        changed(TWO, other=replace(OTHER, held_up_ms=1e4)),
        changed(ONE, rules=None),
        changed(ONE, knocked=replace(KNOCKED, names=["client", "router"])),
        changed(ONE, knocked=replace(KNOCKED, ports=[22])),
        changed(FOUR, asked=[FIXED]),
        changed(FOUR, asked=[FIXED] * 4),
        changed(FOUR, asked=[*ASKED[:3], fast({508: 9}, mss=520)]),
        changed(FOUR, asked=[*ASKED[:3], fast({136: 9}, mss=148)]),
        changed(FOUR, plain=[]),
        changed(FIVE, plain=PLAIN[:1]),
        changed(FOUR, plain=PLAIN[::-1]),
        changed(FOUR, plain=[PLAIN[0], fast({790: 9}, mss=790, options=0)]),
        changed(FIVE, plain=[fast({mss - 12: 9}, mss=mss) for mss in (1261, 786)]),
        changed(FOUR, plain=[replace(PLAIN[0], held_up_ms=1e4), PLAIN[1]]),
        changed(FOUR, asked=[fast({mss - 12: 9}, mss=mss) for mss in (1320, 903, 539, 203)]),
        changed(FOUR, turns=FIVE.seen.turns),
        changed(FIVE, intact=None),
        replace(changed(ONE, opened=None), unanswered="and yet there is more"),
        replace(TWO, settings=OTHERS[1:]),
    ],
)
def test_what_was_not_measured_could_not_tell(evidence):
    verdict = verdict_on_file(evidence.text().encode())
    assert verdict.verdict == "COULD NOT TELL", verdict.text()


@pytest.mark.parametrize("evidence", [changed(ONE, broken=FIXED), changed(TWO, broken=FIXED)])
def test_a_server_that_shows_no_fault_is_nothing_to_compare_with(evidence):
    assert verdict_on(evidence).verdict == "SKIP"
