"""Does the evidence of an answer to frag-needed/6 come to the verdict that it should?

The packets are a connection's as tcpdump had them, without their data, and the messages about it as Scapy packed them.
"""

from dataclasses import replace

import pytest

from core.judge.evidence import Evidence, Script
from labs.cases.frag_needed.exercises.ex5.to_itself import checksum, fragmentation_needed
from labs.cases.frag_needed.exercises.ex6.judge import (
    NO_CONNECTION,
    OUT_OF_WINDOW,
    RECEIVED,
    Crafted,
    Quote,
    Sent,
    message,
)
from labs.cases.frag_needed.names import CLIENT, VIP
from labs.judge.judging import verdict_on, verdict_on_file
from tests.labs.judge.stored import failed

FULL, ANSWER, IN_FLIGHT = map(
    bytes.fromhex,
    (
        "450005dc88ff40004006981a0a0000010a000002a4a01b5823c263f12471da218018003f19d100000101080ae590c18f857cd0b0",
        "450005dc60e740004006c0320a0000020a0000011b58a4a02471da2123c269998018004319d100000101080a857cd0b1e590c18f",
        "450000988901400040069d5c0a0000010a000002a4a01b5823c269992471dfc980180042148d00000101080ae590c195857cd0b1",
    ),
)
OUTER = "4500003800010000400166bb0a0000090a000001"  # from 10.0.0.9
LATE = bytes.fromhex(OUTER + "0304afd700000578450005dc88ff40004006981a0a0000010a000002a4a01b5823c263f1")
TIMELY = bytes.fromhex(OUTER + "0304aa2f00000578450000988901400040069d5c0a0000010a000002a4a01b5823c26999")
ROUTE = "10.0.0.2 dev client-eth0 src 10.0.0.1 uid 0 \n    cache"
IGNORED = Sent(LATE, "", {RECEIVED: 1, OUT_OF_WINDOW: 1}, ROUTE)
HEARD = Sent(TIMELY, "", {RECEIVED: 1}, f"{ROUTE} expires 600sec mtu 1400")
SEEN = Crafted([FULL, ANSWER, IN_FLIGHT], IGNORED, HEARD, [1400])
RIGHT = Evidence("frag-needed/6", "def heard(seen): …", "6.1", Script(0, ""), [], "", SEEN)


def seen(**changed) -> Evidence:
    return replace(RIGHT, seen=replace(SEEN, **changed))


def spoilt(packet: bytes, at: int, *new: int) -> bytes:
    """Other bytes from there on."""
    return packet[:at] + bytes(new) + packet[at + len(new) :]


def test_what_the_client_sends_to_itself_in_exercise_5_is_such_a_message():
    packet = fragmentation_needed(40000, 4_000_000_000)
    assert message(packet).quote == Quote(CLIENT, VIP, 40000, 7000, 4_000_000_000) and message(packet).mtu == 1480
    assert len(packet) == 576 and packet[12:16] == packet[16:20] == bytes((10, 0, 0, 1))
    assert checksum(packet[20:]) == 0 != checksum(spoilt(packet[20:], 40, 1))


def test_what_is_right_passes():
    for verdict in (verdict_on(RIGHT), verdict_on_file(RIGHT.text().encode())):
        assert verdict.verdict == "PASS", verdict.text()
        assert verdict.measured == {"packet_bytes": 1500, "next_packet_bytes": 1400}


OTHER_WAY = spoilt(LATE, 40, 10, 0, 0, 2, 10, 0, 0, 1)  # quotes what the server sent


@pytest.mark.parametrize("quoted", [spoilt(LATE, 48, 0, 1), TIMELY, OTHER_WAY])
def test_what_finds_no_connection_is_ignored_as_well(quoted):
    ignored = replace(IGNORED, packet=quoted, counters={RECEIVED: 1, NO_CONNECTION: 1})
    assert verdict_on(seen(ignored=ignored)).verdict == "PASS"


ECHO_REQUEST = spoilt(LATE, 37, 1)  # in the place of TCP, and of it only the protocol is looked at
BACK = spoilt(OTHER_WAY, 37, 1)  # from the service to the client


@pytest.mark.parametrize("bytes_after_the_header", range(8))
def test_less_than_eight_bytes_of_a_segment_are_ignored_as_well(bytes_after_the_header):
    """RFC 792; icmp_socket_deliver() counts them, whatever they were."""
    cut = LATE[: 28 + 20 + bytes_after_the_header]
    ignored = replace(IGNORED, packet=cut, counters={RECEIVED: 1, NO_CONNECTION: 1})
    verdict = verdict_on(seen(ignored=ignored))
    assert verdict.verdict == "PASS" and "what it quotes is no connection's (IcmpInErrors)" in verdict.text()


@pytest.mark.parametrize("packet", [ECHO_REQUEST, BACK])
def test_of_another_protocol_it_may_be_ignored_with_and_without_a_counter(packet):
    for counters in ({RECEIVED: 1, NO_CONNECTION: 1}, {RECEIVED: 1}):
        ignored = replace(IGNORED, packet=packet, counters=counters)
        assert verdict_on(seen(ignored=ignored)).verdict == "PASS"


def test_what_is_learnt_of_the_one_is_not_said_of_the_other():
    """The wrong way round: the exception is there from the first message on."""
    first, second = replace(HEARD, packet=TIMELY), Sent(LATE, "", {RECEIVED: 1, OUT_OF_WINDOW: 1}, HEARD.route)
    verdict = verdict_on(seen(ignored=first, heard=second))
    assert verdict.verdict == "FAIL" and "ignored-learnt-nothing" in failed(verdict)
    assert not [check.id for check in verdict.checks if check.id.startswith("heard-")]


def test_a_message_is_read():
    assert message(TIMELY).mtu == 1400
    assert message(TIMELY).hosts == message(TIMELY[:48]).hosts == (CLIENT, VIP) and message(TIMELY[:47]).hosts is None
    assert (message(TIMELY).protocol, message(ECHO_REQUEST).protocol) == (6, 1)
    assert message(TIMELY).quote == Quote(CLIENT, VIP, 42144, 7000, 0x23C26999)
    assert message(TIMELY[:35]).quote is message(TIMELY[:28]).quote is message(spoilt(TIMELY, 37, 17)).quote is None


@pytest.mark.parametrize(
    "packet",
    [b"", b"E", TIMELY[:27], IN_FLIGHT, spoilt(TIMELY, 0, 0x4F), spoilt(TIMELY, 0, 0x41), spoilt(TIMELY, 20, 3, 3)],
)
def test_what_is_no_such_message_is_none(packet):
    assert message(packet) is None


LEARNT_NOTHING = replace(HEARD, route=ROUTE)
NOT_TAKEN = "expected the client to learn an MTU of 1400, found none"


@pytest.mark.parametrize(
    "evidence, id",
    [
        (seen(heard=replace(HEARD, packet=spoilt(TIMELY, 26, 5, 220))), "heard-frag-needed"),
        (seen(heard=replace(HEARD, packet=IN_FLIGHT)), "heard-frag-needed"),
        (seen(heard=replace(HEARD, counters={})), "heard-received"),
        (seen(heard=replace(HEARD, counters={RECEIVED: 2})), "heard-received"),
        (seen(heard=replace(HEARD, counters={}, refused="Message too long")), "heard-received"),
        (seen(heard=LEARNT_NOTHING), "heard-learnt"),
        (seen(heard=replace(LEARNT_NOTHING, packet=LATE, counters={RECEIVED: 1, OUT_OF_WINDOW: 1})), "heard-learnt"),
        (
            seen(heard=replace(LEARNT_NOTHING, packet=TIMELY[:28], counters={RECEIVED: 1, NO_CONNECTION: 1})),
            "heard-learnt",
        ),
        (seen(heard=replace(LEARNT_NOTHING, counters={RECEIVED: 1, NO_CONNECTION: 1})), "heard-learnt"),
        (seen(heard=replace(HEARD, route=f"{ROUTE} mtu lock 552")), "heard-learnt"),
        (seen(next_bytes=[1400, 1500]), "heard-next-packets"),
        (seen(ignored=HEARD), "ignored-learnt-nothing"),
        (seen(ignored=replace(HEARD, packet=TIMELY[:28])), "ignored-learnt-nothing"),
        (seen(ignored=replace(IGNORED, counters={})), "ignored-received"),
        (seen(ignored=replace(IGNORED, counters={RECEIVED: 1})), "ignored-counted"),
        (
            seen(ignored=replace(IGNORED, packet=ECHO_REQUEST, counters={RECEIVED: 1}, route=HEARD.route)),
            "ignored-learnt-nothing",
        ),
        (seen(ignored=replace(IGNORED, packet=LATE[:28])), "ignored-quotes-hosts"),
        (
            seen(ignored=replace(IGNORED, packet=LATE[:47], counters={RECEIVED: 1, NO_CONNECTION: 1})),
            "ignored-quotes-hosts",
        ),
        (seen(ignored=replace(IGNORED, packet=spoilt(LATE, 43, 2))), "ignored-quotes-hosts"),
        (replace(RIGHT, seen=Crafted([FULL]), script=Script(0, "a\nb\n")), "two-packets"),
        (replace(RIGHT, seen=Crafted(), script=Script(0, "")), "two-packets"),
        (replace(RIGHT, seen=Crafted(), script=Script(1, "no heard")), "exit-status"),
        (
            replace(RIGHT, seen=Crafted(), script=Script(1, "PermissionError: [Errno 1] Operation not permitted")),
            "without-root",
        ),
    ],
)
def test_what_is_wrong_fails_for_its_reason(evidence, id):
    for verdict in (verdict_on(evidence), verdict_on_file(evidence.text().encode())):
        assert verdict.verdict == "FAIL" and id in failed(verdict), verdict.text()


@pytest.mark.parametrize(
    "damaged",
    [
        seen(heard=None),
        seen(ignored=None),
        seen(next_bytes=[]),
        seen(shown=[]),
        seen(shown=[ANSWER, b""]),
        replace(RIGHT, seen=None),
        replace(RIGHT, script=None),
    ],
)
def test_a_part_that_is_missing_could_not_tell(damaged):
    verdict = verdict_on_file(damaged.text().encode())
    assert verdict.verdict == "COULD NOT TELL" and "it lacks" in verdict.reasons[0], verdict.text()


def test_a_client_whose_packets_are_small_already_shows_nothing():
    assert verdict_on(seen(shown=[IN_FLIGHT])).verdict == "SKIP"
