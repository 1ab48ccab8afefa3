"""How do the clients of a service address use it, and who answers them? By ping, TCP and UDP; and what comes from a
service unasked.

The answer to an exercise may have broken any of it: what does not come in time is told as an empty word. Beside it
stands for how long the machine stood still, which keeps what would have come.
"""

import contextlib
import os
import random
import socket
import struct
import time
from functools import partial

from labs.cases.addr_select.cure.judge import PATIENCE_S, SERVICE, TRIED, Elsewhere, Use
from labs.cases.addr_select.names import PEER, REPORTED, service
from labs.cases.addr_select.network import Network
from labs.measure.clock import StallDetector
from labs.net.node import Node

# The documentation's and Teredo's (RFC 3849, 4380), 6to4's (RFC 3056) and the 6bone's (RFC 3701): ours, or with a label
# of their own (RFC 6724, 2.1).
TUNNELS_AND_OURS = {0x2001, 0x2002, 0x3FFE}
ECHO_REQUEST, ECHO_REPLY = 128, 129  # RFC 4443, 4.1


def used(net: Network) -> list[Use]:
    """How the peer uses each of TRIED, and one more that is drawn."""
    drawn = random.choice([each for each in map(service, range(1, REPORTED + 1)) if each not in TRIED])
    with StallDetector() as clock:
        return [use_of(each, net, clock) for each in (*TRIED, drawn)]


def client_elsewhere(net: Network) -> str:
    """The address of one more client, of a drawn network that the router reaches by the peer: anywhere in what is
    routed (RFC 4291, 2.4) but for where the lab's own are. Nothing leaves the lab."""
    group = random.choice([number for number in range(0x2000, 0x4000) if number not in TUNNELS_AND_OURS])
    network = f"{group:x}:{random.randrange(1, 0x10000):x}:{random.randrange(1, 0x10000):x}:"
    net.peer.on("ip", "-6", "address", "add", f"{network}:2/128", "dev", "lo")
    net.router.on("ip", "-6", "route", "add", f"{network}:/64", "via", PEER)
    return f"{network}:2"


def heard_elsewhere(net: Network, client: str) -> Elsewhere:
    """Which address answers the ping of such a client."""
    with StallDetector() as clock:
        clock.begin()
        answered_by = sender_heard(partial(ping, client=client), net, SERVICE)
        return Elsewhere(answered_by, clock.late_ms())


def use_of(address: str, net: Network, clock: StallDetector) -> Use:
    """How the peer uses one, each way under the clock."""
    heard, held_up_ms = {}, {}
    for way in (ping, tcp, udp, sends):
        clock.begin()
        heard[way.__name__] = sender_heard(way, net, address)
        held_up_ms[way.__name__] = clock.late_ms()
    return Use(address, **heard, held_up_ms=held_up_ms)


def sender_heard(way, net: Network, address: str) -> str:
    """The address that an answer came from, if it is reached this `way`; empty if none came."""
    with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
        return way(net, address, stack)
    return ""


def socket_on(
    host: Node, kind: int, stack: contextlib.ExitStack, address: str = "", protocol: int = 0
) -> socket.socket:
    """A socket on this host, bound if an address is given."""
    with host.inside():
        ours = stack.enter_context(socket.socket(socket.AF_INET6, kind, protocol))
    ours.settimeout(PATIENCE_S)
    if address:
        ours.bind((address, 0))
    return ours


def ping(net: Network, address: str, stack: contextlib.ExitStack, client: str = "") -> str:
    """The address that answers an echo request of the peer's, or of this client behind it."""
    asking = socket_on(net.peer, socket.SOCK_RAW, stack, client, socket.IPPROTO_ICMPV6)
    mark = os.urandom(8)
    asking.sendto(echo_request() + mark, (address, 0))
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        heard, (source, *_) = asking.recvfrom(256)
        if heard[0] == ECHO_REPLY and heard.endswith(mark):
            return source
    return ""


def echo_request() -> bytes:
    """The header of one; the kernel fills its checksum in."""
    return struct.pack("!BBHHH", ECHO_REQUEST, 0, 0, 1, 1)


def tcp(net: Network, address: str, stack: contextlib.ExitStack) -> str:
    """The address that answers a question of the peer's on a connection."""
    listener = socket_on(net.node, socket.SOCK_STREAM, stack, address)
    listener.listen()
    asking = socket_on(net.peer, socket.SOCK_STREAM, stack)
    asking.connect(listener.getsockname()[:2])
    serving = stack.enter_context(listener.accept()[0])
    serving.settimeout(PATIENCE_S)
    asking.sendall(mark := os.urandom(8))
    serving.sendall(serving.recv(64))
    return asking.getpeername()[0] if asking.recv(64) == mark else ""


def udp(net: Network, address: str, stack: contextlib.ExitStack) -> str:
    """The address that answers a datagram of the peer's."""
    serving = socket_on(net.node, socket.SOCK_DGRAM, stack, address)
    asking = socket_on(net.peer, socket.SOCK_DGRAM, stack, PEER)
    asking.sendto(mark := os.urandom(8), serving.getsockname()[:2])
    question, whose = serving.recvfrom(64)
    serving.sendto(question, whose)
    answer, (source, *_) = asking.recvfrom(64)
    return source if answer == mark else ""


def sends(net: Network, address: str, stack: contextlib.ExitStack) -> str:
    """The address that a datagram comes from which the service sends unasked."""
    sender = socket_on(net.node, socket.SOCK_DGRAM, stack, address)
    sink = socket_on(net.peer, socket.SOCK_DGRAM, stack, PEER)
    sender.sendto(b"?", sink.getsockname()[:2])
    return sink.recvfrom(64)[1][0]
