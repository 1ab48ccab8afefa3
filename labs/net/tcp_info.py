"""What does the kernel say of a connection? TCP_INFO of a socket, as named values."""

import socket
import struct
from dataclasses import dataclass

# struct tcp_info, include/uapi/linux/tcp.h: eight bytes, 24 words of 32 bits, and 64-bit values,
# to which later kernels only ever add. Names there begin with tcpi_.
_WORDS = (
    "rto_us",
    "ato_us",
    "snd_mss",
    "rcv_mss",
    "unacked",
    "sacked",
    "lost",
    "retrans",
    "fackets",
    "last_data_sent_ms",
    "last_ack_sent_ms",
    "last_data_recv_ms",
    "last_ack_recv_ms",
    "pmtu",
    "rcv_ssthresh",
    "rtt_us",
    "rttvar_us",
    "snd_ssthresh",
    "snd_cwnd",
    "advmss",
    "reordering",
    "rcv_rtt_us",
    "rcv_space",
    "total_retrans",
)
_COUNTS_AT = 144  # offset of tcpi_notsent_bytes, _min_rtt, _data_segs_in
_SIZE = 156


@dataclass(frozen=True)
class TcpInfo:
    """A connection's state at one moment.

    `unacked` counts segments in flight, `notsent_bytes` what was written and has not left;
    `snd_mss` and `pmtu` are bytes, `total_retrans` counts segments sent again so far,
    `data_segs_in` those with data that came in, as many as the wire had.
    """

    unacked: int
    notsent_bytes: int
    snd_mss: int
    pmtu: int
    rto_ms: float
    rtt_ms: float
    total_retrans: int
    data_segs_in: int = 0


def tcp_info(connection: socket.socket) -> TcpInfo:
    """TCP_INFO of a connected socket (net/ipv4/tcp.c, tcp_get_info())."""
    raw = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _SIZE)
    word = dict(zip(_WORDS, struct.unpack_from("=24I", raw, 8)))
    notsent, _, data_segs_in = struct.unpack_from("=3I", raw, _COUNTS_AT)
    return TcpInfo(
        word["unacked"],
        notsent,
        word["snd_mss"],
        word["pmtu"],
        word["rto_us"] / 1e3,
        word["rtt_us"] / 1e3,
        word["total_retrans"],
        data_segs_in,
    )
