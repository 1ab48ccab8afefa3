# A message has to quote eight bytes after the IP header (RFC 792; RFC 1812 wants more). icmp_socket_deliver() in
# net/ipv4/icmp.c asks for them before any protocol is asked anything, and counts a message without them in IcmpInErrors.
# So what makes the one heard is all there in the other, but for half of the sequence number.
from scapy.layers.inet import ICMP, IP, TCP

PROMISED = 8


def quoting(packet, more):
    header = packet.ihl * 4
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=1400) / bytes(packet)[: header + more]


def heard(seen):
    return quoting(seen[-1], PROMISED)


def ignored(seen):
    return quoting(seen[-1], PROMISED - 2)
