# expect: heard-frag-needed
# Heard, and of no use: packets of 1500 bytes are what the client sends already.
from scapy.layers.inet import ICMP, IP, TCP

MTU = 1400


def about(packet):
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=MTU) / bytes(packet)[:28]


def first(seen):
    return next(packet for packet in seen if packet.src == "10.0.0.1" and packet[TCP].flags == "PA")


def heard(seen):
    message = about(seen[-1])
    message[ICMP].nexthopmtu = 1500
    return message


def ignored(seen):
    return about(first(seen))
