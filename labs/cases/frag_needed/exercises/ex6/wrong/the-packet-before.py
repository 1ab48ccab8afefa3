# expect: ignored-learnt-nothing
# An acknowledgment without data, and nothing of it can be in flight: but its number is snd_una, and that is heard, too.
from scapy.layers.inet import ICMP, IP, TCP

MTU = 1400


def about(packet):
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=MTU) / bytes(packet)[:28]


def first(seen):
    return next(packet for packet in seen if packet.src == "10.0.0.1" and packet[TCP].flags == "PA")


def heard(seen):
    return about(seen[-1])


def ignored(seen):
    own = [packet for packet in seen if packet.src == "10.0.0.1"]
    return about(own[-2])
