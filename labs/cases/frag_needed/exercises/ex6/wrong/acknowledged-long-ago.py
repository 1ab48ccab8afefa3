# expect: heard-learnt
# Right ports, and a number before snd_una: that segment has been acknowledged.
from scapy.layers.inet import ICMP, IP, TCP

MTU = 1400


def about(packet):
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=MTU) / bytes(packet)[:28]


def first(seen):
    return next(packet for packet in seen if packet.src == "10.0.0.1" and packet[TCP].flags == "PA")


def heard(seen):
    return about(first(seen))


def ignored(seen):
    return about(first(seen))
