# expect: ignored-quotes-hosts
# Received and of no effect, but it quotes so little that it is about no two hosts.
from scapy.layers.inet import ICMP, IP, TCP


def message(quoted):
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=1400) / quoted


def heard(seen):
    return message(bytes(seen[-1])[:28])


def ignored(seen):
    return message(bytes(seen[-1])[:16])
