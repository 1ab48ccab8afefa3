# Nothing of a packet has to be copied: two addresses, two ports and a number are all that the client's kernel looks at.
# snd_una is what the server has acknowledged last; between() has both ends, so it will do. The other message names a
# port from which the client has no connection: no socket is found, and IcmpInErrors counts it. The source is the
# balancer's address, which a host beside the path may write as well as any other.
from scapy.layers.inet import ICMP, IP, TCP

CLIENT, SERVICE, BALANCER = "10.0.0.1", "10.0.0.2", "10.0.0.5"


def about(sport, dport, seq):
    quoted = IP(src=CLIENT, dst=SERVICE, flags="DF", len=1500) / TCP(sport=sport, dport=dport, seq=seq)
    return IP(src=BALANCER, dst=CLIENT) / ICMP(type=3, code=4, nexthopmtu=1400) / quoted


def acknowledged(seen):
    return [packet[TCP] for packet in seen if packet.src == SERVICE][-1]


def heard(seen):
    answer = acknowledged(seen)
    return about(answer.dport, answer.sport, answer.ack)


def ignored(seen):
    answer = acknowledged(seen)
    return about(answer.dport ^ 1, answer.sport, answer.ack)
