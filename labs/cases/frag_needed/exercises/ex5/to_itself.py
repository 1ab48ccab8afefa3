"""How does the client tell itself of a smaller MTU while nobody holds the socket? By a raw socket.

What its kernel sends to the client itself comes back inside the call that has sent the packet, so it is deferred each
time. The same message, sent while its connection rests, is acted on at once: from the same address, by the same `lo`,
on top of the same thread, and with as little in flight.
"""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING

from labs.cases.frag_needed.names import CLIENT, ECHO_PORT, TUNNEL_MTU, VIP

if TYPE_CHECKING:  # they are the guest's, and what is sent can be looked at anywhere
    from labs.cases.frag_needed.network import Network
    from labs.cases.frag_needed.workload import Direct

# include/uapi/linux/tcp.h
TCP_REPAIR, TCP_REPAIR_QUEUE, TCP_QUEUE_SEQ = 19, 20, 21
REPAIR_ON, REPAIR_OFF_NO_WP, SEND_QUEUE = 1, -1, 2
# As __icmp_send() has it in net/ipv4/icmp.c: its type of service, and all bytes of the message (RFC 1812, 4.3.2.3).
TOS, MESSAGE_BYTES = 0xC0, 576
DF = 0x4000


def tell(net: Network, connection: Direct) -> None:
    """Has the client tell this connection, which rests, of the tunnel's MTU."""
    send(net, about_next(connection))


def about_next(connection: Direct) -> bytes:
    """The message about what the connection would send next. Making it takes calls that hold and release its socket."""
    return fragmentation_needed(connection.port, next_seq(connection.socket))


def send(net: Network, message: bytes) -> None:
    """Has the client tell itself; that has been handled when the call returns, but for a kernel with more softirqs than
    it gets done."""
    with net.client.inside(), socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as sender:
        sender.sendto(message, (CLIENT, 0))


def next_seq(connection: socket.socket) -> int:
    """The sequence number of what it would send next. Where nothing is in flight that is snd_una, too: the one number
    that tcp_v4_err() listens to."""
    connection.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, REPAIR_ON)
    try:
        connection.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR_QUEUE, SEND_QUEUE)
        return connection.getsockopt(socket.IPPROTO_TCP, TCP_QUEUE_SEQ) % (1 << 32)
    finally:
        connection.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, REPAIR_OFF_NO_WP)


def fragmentation_needed(port: int, seq: int) -> bytes:
    """The client's message to itself about a full segment from this port, as its kernel would send it."""
    segment = struct.pack("!HHIIBBHHH", port, ECHO_PORT, seq, 0, 8 << 4, 0x18, 501, 0, 0)
    refused = ip(VIP, socket.IPPROTO_TCP, 1500, flags=DF) + segment
    message = struct.pack("!BBHHH", 3, 4, 0, 0, TUNNEL_MTU) + refused.ljust(MESSAGE_BYTES - 28, b"?")
    message = message[:2] + struct.pack("!H", checksum(message)) + message[4:]
    return ip(CLIENT, socket.IPPROTO_ICMP, MESSAGE_BYTES, TOS) + message


def ip(to: str, protocol: int, length: int, tos: int = 0, flags: int = 0) -> bytes:
    """An IPv4 header of the client's; the kernel fills the checksum of an outer one in."""
    ends = socket.inet_aton(CLIENT), socket.inet_aton(to)
    return struct.pack("!BBHHHBBH4s4s", 0x45, tos, length, 0, flags, 64, protocol, 0, *ends)


def checksum(data: bytes) -> int:
    """RFC 1071, of an even number of bytes."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
