# expect: heard-learnt
# Everything right but the port: no socket is found, and the number is not even looked at.
from scapy.layers.inet import ICMP, IP, TCP

MTU = 1400


def about(packet):
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=MTU) / bytes(packet)[:28]


def first(seen):
    return next(packet for packet in seen if packet.src == "10.0.0.1" and packet[TCP].flags == "PA")


def heard(seen):
    spoilt = seen[-1].copy()
    spoilt[TCP].sport ^= 1
    return about(spoilt)


def ignored(seen):
    return about(first(seen))
