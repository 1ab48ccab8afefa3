"""Is a frame read as what sent it meant, however little of it is there? Packets put together by hand, and what tcpdump
wrote when the book was recorded."""

import json
import struct
from dataclasses import replace
from pathlib import Path
from socket import AF_INET6, inet_aton, inet_pton

import pytest

from core.draw.ladder import Ladder
from core.wire import pcap
from core.wire.dissect import COOKED, COOKED_2, ETHERNET, Dissector
from core.wire.packet import Packet

RECORDINGS = Path(__file__).parents[3] / "book/_recordings"
CLIENT, VIP, BALANCER = "10.0.0.1", "10.0.0.2", "10.0.0.5"
SYN, PSH_ACK = 2, 24
DF, MORE = 0x4000, 0x2000
INTERFACES = {1: "lo", 3: "client-eth0"}


def ipv4(protocol, body, src=CLIENT, dst=VIP, fragment=DF, options=b"", length=None):
    size = 20 + len(options)
    words = struct.pack("!BBHHHBBH", 4 << 4 | size // 4, 0, length or size + len(body), 7, fragment, 64, protocol, 0)
    return words + inet_aton(src) + inet_aton(dst) + options + body


def ipv6(protocol, body, src="2001:db8::1", dst="2001:db8::2"):
    return (
        struct.pack("!IHBB", 6 << 28, len(body), protocol, 64)
        + inet_pton(AF_INET6, src)
        + inet_pton(AF_INET6, dst)
        + body
    )


def tcp(seq=1, ack=0, flags=PSH_ACK, payload=b"", options=b""):
    return (
        struct.pack("!HHIIBBHHH", 40000, 7000, seq, ack, (20 + len(options)) // 4 << 4, flags, 0, 0, 0)
        + options
        + payload
    )


def udp(payload=b"abc"):
    return struct.pack("!HHHH", 5, 53, 8 + len(payload), 0) + payload


def frag_needed(quoted, mtu=1480):
    return struct.pack("!BBHHH", 3, 4, 0, 0, mtu) + quoted


def ethernet(packet, protocol=0x0800):
    return bytes(12) + struct.pack("!H", protocol) + packet


def read(*packets: bytes) -> list[Packet]:
    """What an Ethernet's capture says of these."""
    dissector = Dissector(ETHERNET, "client", "eth0")
    return [dissector.packet(ethernet(each, 0x86DD if each[0] >> 4 == 6 else 0x0800), 0.5) for each in packets]


def test_a_segment_has_its_place_in_the_connection_and_says_if_it_was_there_before():
    syn = tcp(999, flags=SYN, options=bytes.fromhex("01020405b4000000"))
    first, sent, again = read(
        *(ipv4(6, each) for each in (syn, tcp(1000, 1, payload=b"x" * 30), tcp(1010, 1, payload=b"x" * 5)))
    )
    assert (first.flags, first.seq, first.ack, first.mss, first.payload_bytes) == ("SYN", 0, None, 1460, 0)
    assert (sent.flags, sent.seq, sent.sport, sent.dport, sent.payload_bytes) == ("PSH ACK", 1, 40000, 7000, 30)
    assert (sent.time_s, sent.node, sent.interface, sent.outgoing, sent.df) == (0.5, "client", "eth0", None, True)
    assert [each.retransmission for each in (first, sent, again)] == [False, False, True]


def test_an_icmp_quotes_whom_it_is_about_and_says_the_mtu():
    # As much as RFC 792 promises: the header and eight bytes behind it.
    about = ipv4(6, tcp(payload=b"x" * 1448))[:28]
    (told,) = read(ipv4(1, frag_needed(about), src=BALANCER, dst=CLIENT))
    assert told.is_frag_needed and told.next_hop_mtu == 1480 and told.label() == "ICMP frag needed, MTU 1480"
    assert told.quoted == Packet(0.5, CLIENT, VIP, "tcp", 1488, "client", df=True, sport=40000, dport=7000)
    less, none = read(ipv4(1, frag_needed(about[:22])), ipv4(1, frag_needed(about[:12])))
    assert less.quoted.sport is None and none.quoted is None and none.is_frag_needed


def test_a_tunnel_carries_a_packet_in_which_headers_may_be_longer():
    (seen,) = read(ipv4(4, ipv4(6, tcp(payload=b"x"), options=b"\1\1\1\0"), src=BALANCER, dst="10.0.0.6"))
    assert (seen.proto, seen.src, seen.inner.src, seen.inner.dport) == ("ipip", BALANCER, CLIENT, 7000)
    assert (seen.length_bytes, seen.inner.length_bytes, seen.inner.payload_bytes) == (65, 45, 1)


def test_others_have_their_protocols_name_and_number():
    datagram, six, syn, other = read(
        ipv4(17, udp()), ipv6(58, struct.pack("!BBHI", 2, 0, 0, 1400)), ipv6(6, tcp()), ipv4(50, b"x")
    )
    assert (datagram.proto, datagram.sport, datagram.dport, datagram.payload_bytes) == ("udp", 5, 53, 3)
    assert (six.proto, six.src, six.next_hop_mtu, six.df) == (
        "icmpv6",
        "2001:db8::1",
        1400,
        True,
    ) and six.is_frag_needed
    assert (syn.proto, syn.length_bytes, syn.dport) == ("tcp", 60, 7000)
    assert (other.proto, other.length_bytes) == ("50", 21)


def test_what_is_cut_off_keeps_the_lengths_that_its_headers_say():
    whole = ipv4(6, tcp(payload=b"x" * 1448))
    cut, bare, padded = read(whole[:200], whole[:30], ipv4(17, udp(b"")) + bytes(18))
    assert (cut.length_bytes, cut.payload_bytes) == (1488, 1448)
    assert (bare.proto, bare.length_bytes, bare.sport) == ("tcp", 1488, None)
    assert padded.payload_bytes == 0
    assert read(whole[:19]) == [None]


def test_a_later_fragment_has_no_ports():
    first, later = read(ipv4(6, tcp(payload=b"x" * 8), fragment=MORE), ipv4(6, tcp(), fragment=100))
    assert first.sport == 40000 and (later.proto, later.sport) == ("tcp", None)


def test_a_cooked_link_tells_the_way_and_the_second_one_where():
    one = struct.pack("!HHH8sH", 4, 1, 6, b"", 0x0800) + ipv4(17, udp())
    two = struct.pack("!HHIHBB8s", 0x0800, 0, 3, 1, 0, 6, b"") + ipv4(17, udp())
    seen = Dissector(COOKED, "client").packet(one, 0)
    assert (seen.outgoing, seen.interface, seen.dport) == (True, "", 53)
    seen = Dissector(COOKED_2, "client", interfaces=INTERFACES).packet(two, 0)
    assert (seen.outgoing, seen.interface, seen.dport) == (False, "client-eth0", 53)
    assert Dissector(COOKED_2).packet(two, 0).interface == "if3"


@pytest.mark.parametrize(
    "linktype, frame", [(ETHERNET, ethernet(bytes(28), 0x0806)), (ETHERNET, b"short"), (147, bytes(60))]
)
def test_what_is_no_ip_is_no_packet(linktype, frame):
    assert Dissector(linktype).packet(frame, 0) is None


@pytest.mark.parametrize("order, magic, unit_ns", [("<", 0xA1B2C3D4, 1000), (">", 0xA1B23C4D, 1)])
def test_a_file_is_read_in_its_order_and_its_resolution(order, magic, unit_ns):
    file = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 200, COOKED_2)
    for number, frame in enumerate((b"one", b"three")):
        file += struct.pack(f"{order}IIII", 1_700_000_000, 5 + number, len(frame), 1500) + frame
    expected = [
        (1_700_000_000 * 10**9 + (5 + number) * unit_ns, frame) for number, frame in enumerate((b"one", b"three"))
    ]
    linktype, frames = pcap.frames(file)
    assert linktype == COOKED_2 and list(frames) == expected
    assert list(pcap.frames(file[:-6])[1]) == expected[:1]  # of the second, not even its times are whole


@pytest.mark.parametrize("other", [b"", b"this is not a capture at all, whatever its name", bytes.fromhex("d4c3b2a1")])
def test_another_file_is_none(other):
    with pytest.raises(pcap.NoCapture):
        pcap.frames(other)


@pytest.mark.parametrize(
    "name", ["frag-needed/a-ladder", "frag-needed/b-ladder", "rtl8139-tso/handshake", "splice-push/200-ms"]
)
def test_a_recorded_capture_has_the_packets_that_its_figure_shows(name):
    """The first figures were drawn of what Scapy had read."""
    file = RECORDINGS / name
    shown = [step.packet for step in Ladder.of(json.loads(file.with_suffix(".figure.json").read_text())).steps]
    linktype, frames = pcap.frames(file.with_suffix(".pcap").read_bytes())
    dissector = Dissector(linktype, shown[0].node, shown[0].interface, INTERFACES)
    first_ns, _ = next(pcap.frames(file.with_suffix(".pcap").read_bytes())[1])
    seen = iter([dissector.packet(frame, (at_ns - first_ns) / 1e9) for at_ns, frame in frames])
    apart_s = []
    for packet in shown:
        same = next(each for each in seen if at(0, each) == at(0, packet))
        apart_s.append(same.time_s - packet.time_s)
    assert shown and max(apart_s) - min(apart_s) < 1e-6  # a ladder counts from its exchange


def at(time_s: float, packet: Packet) -> Packet:
    """The same at another time."""
    return replace(packet, time_s=time_s, quoted=packet.quoted and at(time_s, packet.quoted))
