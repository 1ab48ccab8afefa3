"""Does a capture file become the packets that Scapy has put into it, and is tcpdump ready before traffic?"""

import socket
from decimal import Decimal

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6PacketTooBig, IPv6
from scapy.layers.l2 import ARP, CookedLinux, CookedLinuxV2, Ether
from scapy.packet import Raw
from scapy.utils import PcapWriter, rdpcap

from labs.errors import CouldNotTell
from labs.net.node import Node
from labs.wire import capture

CLIENT, VIP = "10.0.0.1", "10.0.0.2"
START = Decimal("1700000000.000000")
FLAGS = {"S": "SYN", "F": "FIN", "R": "RST", "P": "PSH", "A": "ACK"}


def write(path, frames, nano=False):
    """Frames to a file, `step` microseconds apart."""
    with PcapWriter(str(path), nano=nano) as file:
        for number, frame in enumerate(frames):
            frame.time = START + Decimal(number) / 10_000
            file.write(frame)
    return path


def read(path, *where, **named):
    """The packets in a file."""
    return capture.read(path.read_bytes(), *where, **named)


def segment(seq, size=0, flags="PA", ack=501, back=False, **ip):
    ends = dict(src=VIP, dst=CLIENT) if back else dict(src=CLIENT, dst=VIP)
    ports = dict(sport=443, dport=54321) if back else dict(sport=54321, dport=443)
    return IP(**ends, flags="DF", **ip) / TCP(**ports, seq=seq, ack=ack, flags=flags) / Raw(b"x" * size)


def frag_needed(original, src=VIP, mtu=1480):
    quote = bytes(original)[:28]
    return IP(src=src, dst=CLIENT) / ICMP(type=3, code=4, nexthopmtu=mtu) / Raw(quote)


@pytest.mark.parametrize("linked", [Ether(), CookedLinuxV2(proto=0x800)])
def test_whole_packets_for_scapy_are_without_their_links_header(tmp_path, linked):
    sent = [segment(1001, 20), frag_needed(segment(1001, 1460))]
    file = write(tmp_path / "a.pcap", [linked / packet for packet in sent])
    assert capture.raw(file) == [bytes(packet) for packet in sent]
    assert capture.raw(write(tmp_path / "b.pcap", [Ether() / ARP()])) == []


def test_case_one_is_read_as_it_was_sent(tmp_path):
    big = segment(1001, 1460)
    frames = [
        segment(1000, flags="S", ack=0),
        segment(500, flags="SA", ack=1001, back=True),
        big,
        frag_needed(big),
        segment(1001, 1440),
        segment(2441, 20),
        segment(2461, 30),
    ]
    packets = read(write(tmp_path / "a.pcap", [Ether() / frame for frame in frames]), "client")
    syn, synack, sent, icmp, first, second, new = packets
    assert [syn.label(), synack.label(), sent.label()] == ["SYN", "SYN ACK", "PSH 1460 B"]
    assert (syn.seq, syn.ack, synack.seq, synack.ack, sent.seq, sent.ack) == (0, None, 0, 1, 1, 1)
    assert (sent.length_bytes, sent.df, sent.node) == (1500, True, "client")
    assert icmp.label() == "ICMP frag needed, MTU 1480" and icmp.is_frag_needed
    assert (icmp.quoted.sport, icmp.quoted.dport, icmp.quoted.length_bytes) == (54321, 443, 1500)
    assert icmp.quoted.df and icmp.quoted.proto == "tcp"
    assert [p.retransmission for p in packets] == [False] * 4 + [True, True, False]
    assert first.label() == "retransmit PSH 1440 B" and second.seq == 1441
    assert packets[0].time_s == 0 and abs(packets[3].time_s - 3e-4) < 1e-12


@pytest.mark.parametrize("nano", [False, True])
def test_both_time_resolutions(tmp_path, nano):
    path = write(tmp_path / "t.pcap", [Ether() / segment(1, 1), Ether() / segment(2, 1)], nano)
    assert [round(p.time_s, 9) for p in read(path)] == [0, 1e-4]


def test_cooked_captures_tell_direction_and_interface(tmp_path):
    v1 = [CookedLinux(pkttype=4, proto=0x0800) / segment(1, 5)]
    (packet,) = read(write(tmp_path / "v1.pcap", v1), "client")
    assert packet.outgoing is True and packet.payload_bytes == 5
    v2 = [
        CookedLinuxV2(pkttype=0, ifindex=1, proto=0x0800) / frag_needed(segment(1, 1460), src=CLIENT),
        CookedLinuxV2(pkttype=4, ifindex=2, proto=0x0800) / segment(1, 5),
    ]
    packets = read(write(tmp_path / "v2.pcap", v2), "client", interfaces={1: "lo", 2: "client-eth0"})
    assert [(p.interface, p.outgoing) for p in packets] == [("lo", False), ("client-eth0", True)]


def test_forwarded_packet_is_no_retransmission(tmp_path):
    frames = [
        CookedLinuxV2(pkttype=0, ifindex=2, proto=0x0800) / segment(1, 5),
        CookedLinuxV2(pkttype=4, ifindex=3, proto=0x0800) / segment(1, 5),
    ]
    packets = read(write(tmp_path / "fwd.pcap", frames), "balancer")
    assert [p.retransmission for p in packets] == [False, False]
    assert [p.seq for p in packets] == [1, 1]


def test_tunnel_shows_its_inner_packet(tmp_path):
    frames = [Ether() / (IP(src="10.0.0.5", dst="10.0.0.6") / segment(1, 10))]
    (packet,) = read(write(tmp_path / "ipip.pcap", frames))
    assert (packet.proto, packet.length_bytes, packet.inner.length_bytes) == ("ipip", 70, 50)
    assert packet.label() == "IPIP [PSH 10 B]" and packet.inner.dport == 443


def test_snapshot_length_does_not_shorten_packets(tmp_path):
    whole = Ether() / segment(1, 1448)
    cut = Ether(bytes(whole)[:200])
    cut.wirelen = len(whole)
    (packet,) = read(write(tmp_path / "cut.pcap", [cut]))
    assert (packet.length_bytes, packet.payload_bytes) == (1488, 1448)


def test_ipv6_udp_and_what_is_no_ip(tmp_path):
    frames = [
        Ether() / ARP(),
        Ether() / IP(src=CLIENT, dst=VIP) / UDP(sport=5, dport=53) / Raw(b"abc"),
        Ether() / IPv6(src="2001:db8::1", dst="2001:db8::2") / ICMPv6PacketTooBig(mtu=1400),
        Ether() / IPv6(src="2001:db8::1", dst="2001:db8::2") / TCP(flags="S"),
    ]
    udp, too_big, syn = read(write(tmp_path / "mix.pcap", frames))
    assert (udp.proto, udp.payload_bytes, udp.dport) == ("udp", 3, 53)
    assert too_big.is_frag_needed and too_big.next_hop_mtu == 1400
    assert syn.label() == "SYN" and syn.length_bytes == 60


def test_ports_used_again_start_afresh(tmp_path):
    frames = [segment(1000, flags="S", ack=0), segment(1001, 10), segment(900, flags="S", ack=0), segment(901, 150)]
    packets = read(write(tmp_path / "again.pcap", [Ether() / f for f in frames]))
    assert [(p.seq, p.retransmission) for p in packets] == [(0, False), (1, False), (0, False), (1, False)]


def test_sequence_numbers_wrap(tmp_path):
    frames = [segment(2**32 - 2, flags="S", ack=0), segment(2**32 - 1, 10), segment(9, 5)]
    packets = read(write(tmp_path / "wrap.pcap", [Ether() / f for f in frames]))
    assert [(p.seq, p.retransmission) for p in packets] == [(0, False), (1, False), (11, False)]


def test_a_file_that_is_no_capture_says_so(tmp_path):
    path = tmp_path / "no.pcap"
    path.write_text("this is not a capture at all, whatever its name")
    with pytest.raises(capture.CaptureError, match="expected a pcap file"):
        read(path)


@pytest.fixture
def namespace():
    host = Node("client")
    host.on("ip link set lo up")
    with host.inside():
        yield
    host.terminate()


def test_live_capture_misses_no_packet(namespace, tmp_path):
    with (
        capture.Capture(tmp_path / "lo.pcap", node="client", filter="udp") as live,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):
        for _ in range(97):
            sender.sendto(b"x" * 100, ("127.0.0.1", 9))
    packets = live.packets()
    assert len(packets) == 97 and live.dropped() == 0
    assert {(p.interface, p.proto, p.payload_bytes, p.node) for p in packets} == {("lo", "udp", 100, "client")}


def test_each_cut_has_what_came_since_the_last(namespace, tmp_path):
    with (
        capture.Capture(tmp_path / "lo.pcap", node="client", filter="udp") as live,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):
        sizes = []
        for counts in ((10, 20), (30,), ()):
            for size in counts:
                sender.sendto(b"x" * size, ("127.0.0.1", 9))
            sizes.append([packet.payload_bytes for packet in live.read(live.cut())])
    assert sizes == [[10, 20], [30], []] and len(live.packets()) == 3


def test_one_that_lost_packets_could_not_tell(namespace, tmp_path):
    with pytest.raises(CouldNotTell, match="no packet lost by tcpdump at client, found 3 dropped"):
        with capture.Capture(tmp_path / "lo.pcap", node="client", filter="udp") as live:
            live.said.append("3 packets dropped by kernel")


def test_a_capture_that_cannot_start_says_why(namespace, tmp_path):
    with pytest.raises(capture.CaptureError, match="listen on nosuch.*No such device"):
        with capture.Capture(tmp_path / "x.pcap", interface="nosuch"):
            raise AssertionError("entered without a listener")


def test_a_failing_workload_leaves_no_tcpdump(namespace, tmp_path):
    with pytest.raises(ZeroDivisionError):
        with capture.Capture(tmp_path / "x.pcap") as live:
            1 / 0
    assert live.process.poll() is not None


def test_the_clamped_mss_is_read_from_a_syn(tmp_path):
    options = [("NOP", None), ("WScale", 7), ("MSS", 1320)]
    syn = IP(src=CLIENT, dst=VIP) / TCP(flags="S", seq=7, options=options)
    with_mss, without = read(write(tmp_path / "s.pcap", [Ether() / syn, Ether() / segment(1, 5)]))
    assert (with_mss.mss, without.mss) == (1320, None)
    assert ("MSS offered", "1320") in with_mss.fields()


def test_what_is_read_by_hand_is_what_scapy_reads(tmp_path):
    frames = [
        Ether() / segment((0xFFFFFFF0 + size) & 0xFFFFFFFF, size, flags)
        for size, flags in ((0, "S"), (10, "PA"), (10, "A"), (1200, "FA"), (0, "RA"))
    ]
    later = Ether() / IP(src=CLIENT, dst=VIP, proto=6, frag=100) / Raw(b"x" * 60)
    path = write(tmp_path / "same.pcap", [*frames, later])
    for by_hand, scapys in zip(read(path, "client"), rdpcap(str(path)), strict=True):
        ip = scapys[IP]
        assert (by_hand.src, by_hand.dst, by_hand.length_bytes) == (ip.src, ip.dst, ip.len)
        assert by_hand.df == bool(ip.flags.DF) and by_hand.proto == "tcp"
        tcp = ip[TCP] if TCP in ip else None
        assert (by_hand.sport, by_hand.dport) == ((tcp.sport, tcp.dport) if tcp else (None, None))
        assert by_hand.payload_bytes == (len(tcp.payload) if tcp else 0)
        assert set(by_hand.flags.split()) == ({FLAGS[letter] for letter in str(tcp.flags)} if tcp else set())
