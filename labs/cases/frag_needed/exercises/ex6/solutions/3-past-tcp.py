# TCP is not asked at all: the message quotes an echo reply, as if the client had answered a ping of the service's. For
# that nobody keeps a socket, so icmp_err() (net/ipv4/icmp.c) has nothing to compare it with, and the route gets the
# MTU. Whoever can reach the client can do this without having seen a packet. What it shows: the checks in tcp_v4_err()
# guard one door, and the exception that all connections to this address share has another.
from scapy.layers.inet import ICMP, IP, TCP

CLIENT, SERVICE = "10.0.0.1", "10.0.0.2"


def message(quoted):
    return IP(dst=CLIENT) / ICMP(type=3, code=4, nexthopmtu=1400) / quoted


def heard(seen):
    return message(IP(src=CLIENT, dst=SERVICE, flags="DF", len=1500) / ICMP(type=0))


def ignored(seen):
    own = seen[-1]
    beyond = own[TCP].seq + 100_000  # nobody has sent that yet
    return message(IP(src=CLIENT, dst=SERVICE) / TCP(sport=own.sport, dport=own.dport, seq=beyond % 2**32))
