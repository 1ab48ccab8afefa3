# expect: ignored-quotes-hosts
# The client takes no notice, for it has no connection to the server's own address: but that is not the same two hosts.
from scapy.layers.inet import ICMP, IP, TCP


def message(quoted):
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=1400) / quoted


def heard(seen):
    return message(bytes(seen[-1])[:28])


def ignored(seen):
    own = seen[-1]
    return message(IP(src=own.src, dst="10.0.0.6") / TCP(sport=own.sport, dport=own.dport, seq=own[TCP].seq))
