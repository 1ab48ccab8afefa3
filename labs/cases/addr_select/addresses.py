"""How does a host get thousands of addresses in a few seconds? By one netlink message each, some hundred to
a system call.

`ip -batch` waits for the kernel's word on each, which takes half of its time under emulation. What is
left is the kernel's own: it looks through all addresses for each that is added
(addrconf_verify_rtnl() in net/ipv6/addrconf.c).
"""

import os
import socket
import struct
from collections.abc import Sequence

from labs.net.node import CommandFailed, Node

# include/uapi/linux/netlink.h, rtnetlink.h and if_addr.h
NLMSG_ERROR, RTM_NEWADDR = 2, 20
REQUEST, ACK, REPLACE, CREATE = 0x1, 0x4, 0x100, 0x400
IFA_LOCAL, IFA_CACHEINFO, IFA_FLAGS = 2, 6, 8
NODAD, NOPREFIXROUTE = 0x02, 0x200
FOREVER = 0xFFFFFFFF  # of a lifetime
HEADER = struct.Struct("=IHHII")  # struct nlmsghdr: length, type, flags, sequence number, port
AT_ONCE = 256  # messages to a system call


def assign(host: Node, addresses: Sequence[str], device: str, preferred_s: int = FOREVER) -> None:
    """Gives a host IPv6 addresses (/128), or changes those that it has: valid for ever, in use at once, with
    no route but the local one. Those preferred for 0 seconds are deprecated (RFC 4862, 5.5.4).

    Raises CommandFailed if the kernel refuses one, with its reason.
    """
    if not addresses:
        return
    with host.inside(), socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as netlink:
        index, last = socket.if_nametoindex(device), len(addresses) - 1
        messages = [
            message(number, address, index, preferred_s, ACK * (number == last))
            for number, address in enumerate(addresses)
        ]
        for first in range(0, len(messages), AT_ONCE):
            netlink.send(b"".join(messages[first : first + AT_ONCE]))
        # All have been dealt with: rtnetlink does it within send(). Refusals wait before the last one's ACK.
        number, error = answer(netlink)
    if error:
        raise CommandFailed(f"on {host.name}: the kernel refuses {addresses[number]} on {device}: {os.strerror(error)}")


def message(number: int, address: str, index: int, preferred_s: int, flags: int) -> bytes:
    """RTM_NEWADDR for one address: header, struct ifaddrmsg, attributes."""
    body = (
        struct.pack("=BBBBI", socket.AF_INET6, 128, 0, 0, index)
        + attribute(IFA_LOCAL, socket.inet_pton(socket.AF_INET6, address))
        + attribute(IFA_CACHEINFO, struct.pack("=IIII", preferred_s, FOREVER, 0, 0))
        + attribute(IFA_FLAGS, struct.pack("=I", NODAD | NOPREFIXROUTE))
    )
    return HEADER.pack(HEADER.size + len(body), RTM_NEWADDR, REQUEST | CREATE | REPLACE | flags, number, 0) + body


def attribute(kind: int, value: bytes) -> bytes:
    """struct nlattr and its value, which needs no padding here."""
    return struct.pack("=HH", 4 + len(value), kind) + value


def answer(netlink: socket.socket) -> tuple[int, int]:
    """The kernel's first word, struct nlmsgerr: the message's number and its errno, 0 for done."""
    said = netlink.recv(65536)
    _, kind, _, number, _ = HEADER.unpack_from(said)
    assert kind == NLMSG_ERROR, kind
    return number, -struct.unpack_from("=i", said, HEADER.size)[0]
