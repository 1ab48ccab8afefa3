# expect: ignored-learnt-nothing
# The two functions have each other's message. The exception that the client has in the end is not the second one's.
from scapy.layers.inet import ICMP, IP, TCP

MTU = 1400


def about(packet):
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=MTU) / bytes(packet)[:28]


def first(seen):
    return next(packet for packet in seen if packet.src == "10.0.0.1" and packet[TCP].flags == "PA")


def heard(seen):
    return about(first(seen))


def ignored(seen):
    return about(seen[-1])
