"""Does a packet pass the server's firewall? Asked with few packets, in everybody's name.

All are made at the router, the other end of the server's cable: what the server sees of a host is its address. Whether
one passes is read from the server's counters, once a ping sent after it has been answered: no packet is waited for
that may never come. There is a ping after every few, because a card drops what finds no place (64 descriptors,
CP_RX_RING_SIZE in drivers/net/ethernet/realtek/8139cp.c).
"""

import contextlib
import ipaddress
import itertools
import random
import re
import socket
import struct
import time
from collections.abc import Iterator

from labs.cases.rtl8139_tso.exercises.ex1.judge import (
    DRAWN,
    ECHO_REQUEST,
    NEEDED,
    OTHER_ICMP,
    OTHER_PROTOCOLS,
    PORTS,
    UNREACHABLE,
    Knocked,
)
from labs.cases.rtl8139_tso.names import CLIENT, SERVERS
from labs.cases.rtl8139_tso.network import PATIENCE_S, PORT, Network
from labs.errors import RAN_ON, CouldNotTell
from labs.judge.judging import excusing_ms
from labs.measure.clock import StallDetector
from labs.net.counters import counters, moved
from labs.net.topology import Node, NotReady

SERVER = SERVERS["server"]
ROUTER = "10.8.1.1"
NAMES = {
    "router": ROUTER,
    "home": "10.8.8.2",
    "client": CLIENT,
    "mended": SERVERS["mended"],
    "beside": SERVERS["beside"],
}
ECHO_REPLY = 0
IDENTIFIER = 0x8139
ABOUT_ERRORS = (3, 4, 5, 11, 12)  # RFC 792: they quote the packet that they are about
FIN, SYN, RST, ACK = 1, 2, 4, 16  # RFC 9293, 3.1
FLAGS = (SYN, SYN | ACK, ACK, ACK | FIN, RST)
# What answers come from: names, pages, the time. A rule that goes by the sender's port opens all of the server's.
FROM_PORTS = (53, 80, 123, 443)
AT_ONCE = 24  # packets between two pings
# What a rule names, as iptables-save writes it: networks, and ports or ranges of them.
NETWORK, PORTS_NAMED = re.compile(r"(?:-s|--src-range) ([^\s-]+)"), re.compile(r"--(?:[ds]?ports?|to-ports) ([\d:,]+)")
SOURCE_PORTS = re.compile(r"--(?:sports?|ports) ([\d:,]+)")
PROTOCOL, TYPE = re.compile(r"-p (\S+)"), re.compile(r"--icmp-type (\d+)(?:/(\d+))?")
MOST_NAMES, MOST_PORTS, MOST_SOURCE_PORTS = 16, 40, 8  # of those, because each name knocks at each port
BROADCAST = "10.8.1.255"  # to whoever is on the server's cable
EVERY_HOST = "224.0.0.1"  # a group that each host is in (RFC 1112, 4)
TO_ALL = "255.255.255.255"
DRAWS = 30  # of an address in a network, until it is one that may send


def knocked(net: Network, rules: str) -> Knocked:
    """Which of the server's counters moved while everybody, a stranger, and who is named in its `rules`, tried what was
    shut. The network has to have settled, because what a download has left on its way would count."""
    names = NAMES | {"stranger": f"198.51.100.{random.randrange(1, 255)}"} | who_is_named(rules)  # RFC 5737
    listed = list(dict.fromkeys([*PORTS, *ports_named(rules)]))
    others = [port for port in range(1, 1 << 16) if port not in listed and port != PORT]
    ports = [*listed, *random.sample(others, DRAWN)]
    pairs = [(from_port, port) for from_port in source_ports_named(rules) for port in [*ports_named(rules), ports[-1]]]
    with net.router.inside():
        sender = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        hearer = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(ROUTER))
    with sender, hearer, StallDetector() as clock:
        hearer.settimeout(PATIENCE_S)
        before = counters(net["server"])
        for number, packet in enumerate(packets(list(names.values()), ports, rules, pairs)):
            sender.sendto(packet, (socket.inet_ntoa(packet[16:20]), 0))
            if number % AT_ONCE == AT_ONCE - 1:
                ping(sender, hearer, number, clock)
        ping(sender, hearer, 0xFFFF, clock)
        after = counters(net["server"])
        shut = list(shut_out(net, names, sender, hearer, clock))
        return Knocked(list(names), ports, moved(before, after), shut)


def shut_out(
    net: Network, names: dict[str, str], sender: socket.socket, hearer: socket.socket, clock: StallDetector
) -> Iterator[str]:
    """What came in before and does not any more: the page, for the server itself and for a host that has not asked for
    it yet; and everybody's ping and first segment, by the server's counters. (The router's answer to what the server
    sends a stranger is "network unreachable", which is let in by none of these counters. A host that is there answers
    by an RST, which would count as the next one's segment: so those come last.)"""
    for name, address in sorted(names.items(), key=lambda one: one[1] in NAMES.values()):
        before = counters(net["server"])
        sender.sendto(icmp(address, ECHO_REQUEST, 0), (SERVER, 0))
        sender.sendto(tcp(address, high(), PORT, SYN), (SERVER, 0))
        ping(sender, hearer, 0xFFFE, clock)
        came = moved(before, counters(net["server"]))
        if came.get(f"IcmpMsgInType{ECHO_REQUEST}", 0) < 2:  # the other is the router's
            yield f"a ping in the name of {name}"
        if not came.get("TcpInSegs"):
            yield f"TCP to port {PORT} in the name of {name}"
    for who, name, address in (("the server's own, by lo", "server", "127.0.0.1"), ("home's", "home", SERVER)):
        if not connects(net[name], address, clock):
            yield f"TCP to port {PORT}, {who}"
    before = counters(net["server"])
    with net["server"].inside(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as itself:
        itself.sendto(b"knock", ("127.0.0.1", high()))  # it is there when the call returns: lo has no queue
    if not moved(before, counters(net["server"])).get("UdpNoPorts"):
        yield "UDP of the server's own, by lo"


def connects(node: Node, address: str, clock: StallDetector) -> bool:
    """Whether a connection to the page comes about. Raises CouldNotTell if the machine stood still instead."""
    clock.begin()
    try:
        with node.inside():
            socket.create_connection((address, PORT), PATIENCE_S).close()
        return True
    except OSError:
        require_awake(clock, f"{node.name} connected")
        return False


def who_is_named(rules: str) -> dict[str, str]:
    """An address of each network that these rules let in, or not: nobody else may be in it who knocks. Raises
    CouldNotTell if they are too many to be tried."""
    found: dict[str, str] = {}
    for text in dict.fromkeys(NETWORK.findall(rules)):
        with contextlib.suppress(ValueError):
            network = ipaddress.IPv4Network(text, strict=False)
            drawn = (network[random.randrange(network.num_addresses)] for _ in range(DRAWS))
            address = next(filter(may_send, drawn), None)
            if address and str(address) not in NAMES.values():
                found[text] = str(address)
    return dict(zip(found, no_more_than(MOST_NAMES, "networks", list(found.values()))))


def may_send(address: ipaddress.IPv4Address) -> bool:
    """Whether a packet from there gets to a firewall: a kernel drops what comes from none, itself, or many
    (ip_route_input_slow() in net/ipv4/route.c)."""
    nobody = address.packed[0] in (0, 127) or address.is_multicast or str(address) in (SERVER, TO_ALL)
    return not nobody


def no_more_than(most: int, what: str, named: list) -> list:
    """What is named. Raises CouldNotTell if it is more than can be tried, because what is not tried may be open."""
    if len(named) > most:
        raise CouldNotTell(f"the rules name {len(named)} {what}, and {most} can be tried", "tried", by_the_answer=True)
    return named


def ports_named(rules: str) -> list[int]:
    """The ports in these rules, of a range both ends, but for the one that is open. Raises CouldNotTell if they are too
    many to be tried."""
    return no_more_than(MOST_PORTS, "ports", ports_in(PORTS_NAMED, rules))


def source_ports_named(rules: str) -> list[int]:
    """The same of those that a packet has to come from."""
    return no_more_than(MOST_SOURCE_PORTS, "ports of senders", ports_in(SOURCE_PORTS, rules))


def ports_in(named: re.Pattern, rules: str) -> list[int]:
    found = [int(port) for ports in named.findall(rules) for port in re.findall(r"\d+", ports)]
    return [port for port in dict.fromkeys(found) if 0 < port < 1 << 16 and port != PORT]


def protocols_named(rules: str) -> list[int]:
    """The protocols in these rules, but for the three that are tried in their own ways."""
    found = set()
    for name in PROTOCOL.findall(rules):
        with contextlib.suppress(OSError):
            found.add(int(name) if name.isdigit() else socket.getprotobyname(name))
    return sorted(
        {each for each in found if 0 < each < 256} - {socket.IPPROTO_TCP, socket.IPPROTO_UDP, socket.IPPROTO_ICMP}
    )


def types_named(rules: str) -> list[tuple[int, int]]:
    """The types of ICMP in these rules, each with its code, 0 if it has none, but for a ping's and for what the router
    is to be heard with."""
    found = sorted({(int(kind), int(code or 0)) for kind, code in TYPE.findall(rules)})
    return [each for each in found if each[0] != ECHO_REQUEST and each != (UNREACHABLE, NEEDED)]


def packets(sources: list[str], ports: list[int], rules: str, pairs: list[tuple[int, int]]) -> Iterator[bytes]:
    """All that is tried, once in each name. Each port is tried from a high one, and once more from one that answers
    come from, or from the same; by TCP with other flags, as if there were a connection. `pairs` are ports that rules
    name for both ends. Datagrams to all on the cable are tried, too, and to the group of all, at the ports that rules
    name and at another. (A fragment cannot be: the firewall's INPUT has packets when they are whole,
    ip_local_deliver() in net/ipv4/ip_input.c.)"""
    protocols, kinds = protocols_named(rules), dict.fromkeys([*OTHER_ICMP, *types_named(rules)])
    to_all = [*ports_named(rules), ports[-1]]
    others = itertools.cycle(itertools.product((*FROM_PORTS, None), FLAGS))
    for source in sources:
        for protocol in (*OTHER_PROTOCOLS, *protocols):
            yield ip(source, protocol, b"knock" * 4)
        for kind, code in kinds:
            yield icmp(source, kind, code)
        for port in ports:
            from_port, flags = next(others)
            yield tcp(source, high(), port, SYN)
            yield tcp(source, from_port or port, port, flags)
            yield udp(source, high(), port)
            yield udp(source, from_port or port, port)
        for from_port, port in pairs:
            yield tcp(source, from_port, port, SYN)
            yield udp(source, from_port, port)
        yield udp(source, high(), PORT)
        for port, group in itertools.product(to_all, (BROADCAST, EVERY_HOST)):
            yield udp(source, high(), port, group)


def ping(sender: socket.socket, hearer: socket.socket, number: int, clock: StallDetector) -> None:
    """An echo request in the router's own name. Raises NotReady if it is not answered, which it was before, and
    CouldNotTell if the machine stood still instead."""
    clock.begin()
    echoed = struct.pack("!HH", IDENTIFIER, number & 0xFFFF)
    sender.sendto(icmp(ROUTER, ECHO_REQUEST, 0, echoed), (SERVER, 0))
    until = time.monotonic() + PATIENCE_S
    try:
        while time.monotonic() < until:
            heard, (source, _) = hearer.recvfrom(256)
            message = heard[(heard[0] & 15) * 4 :]
            if source == SERVER and message[0] == ECHO_REPLY and message[4:8] == echoed:
                return
    except TimeoutError:
        pass
    require_awake(clock, "the server was pinged")
    raise NotReady(f"the server answers no ping of the router's in {PATIENCE_S:g} s; it did before")


def require_awake(clock: StallDetector, what: str) -> None:
    """Raises CouldNotTell if the machine stood still for so long that it may be why nobody answered in time."""
    if (held_up_ms := clock.late_ms()) > excusing_ms(PATIENCE_S):
        raise CouldNotTell(f"the machine stood still for {held_up_ms:.0f} ms while {what}", RAN_ON)


def icmp(source: str, kind: int, code: int, rest: bytes = bytes(4)) -> bytes:
    """A message; an error quotes a segment of a connection that does not exist."""
    quoted = (
        ip(SERVER, socket.IPPROTO_TCP, struct.pack("!HHI", PORT, 1, 1), source) if kind in ABOUT_ERRORS else b"knock"
    )
    message = struct.pack("!BBH", kind, code, 0) + rest + quoted
    return ip(source, socket.IPPROTO_ICMP, message[:2] + struct.pack("!H", checksum(message)) + message[4:])


def udp(source: str, from_port: int, port: int, destination: str = SERVER) -> bytes:
    """A datagram to this port, without a checksum."""
    return ip(source, socket.IPPROTO_UDP, struct.pack("!HHHH", from_port, port, 13, 0) + b"knock", destination)


def tcp(source: str, from_port: int, port: int, flags: int) -> bytes:
    """A segment of no connection to this port: the beginning of one, or one that is as if it were of one."""
    numbers = random.getrandbits(32), random.getrandbits(32) if flags & ACK else 0
    segment = struct.pack("!HHIIBBHHH", from_port, port, *numbers, 5 << 4, flags, 64240, 0, 0)
    pseudo = socket.inet_aton(source) + socket.inet_aton(SERVER) + struct.pack("!HH", socket.IPPROTO_TCP, len(segment))
    return ip(source, socket.IPPROTO_TCP, segment[:16] + struct.pack("!H", checksum(pseudo + segment)) + segment[18:])


def high() -> int:
    """A port that a client may have."""
    return random.randrange(1 << 15, 1 << 16)


def ip(source: str, protocol: int, payload: bytes, destination: str = SERVER) -> bytes:
    """A packet of IPv4 with all that it needs (RFC 791)."""
    ends = socket.inet_aton(source) + socket.inet_aton(destination)
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(payload), random.getrandbits(16), 0, 64, protocol, 0) + ends
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + payload


def checksum(data: bytes) -> int:
    """RFC 1071."""
    data += bytes(len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
