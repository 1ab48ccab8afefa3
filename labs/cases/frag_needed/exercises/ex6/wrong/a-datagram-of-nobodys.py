# expect: ignored-learnt-nothing
# The same two hosts, and UDP: the client has no socket that has sent such a datagram, and says so (IcmpInErrors). But
# udp_err() hands the message on to ipv4_update_pmtu() all the same: the route learns, and with it each TCP connection.
from scapy.all import ICMP, IP, TCP, UDP


def message(quoted):
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=1400) / quoted


def heard(seen):
    own = seen[-1]
    return message(IP(src=own.src, dst=own.dst) / TCP(sport=own.sport, dport=own.dport, seq=own[TCP].seq))


def ignored(seen):
    own = seen[-1]
    return message(IP(src=own.src, dst=own.dst) / UDP(sport=own.sport, dport=own.dport, len=1480))
