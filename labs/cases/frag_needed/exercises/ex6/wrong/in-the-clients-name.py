# expect: heard-received
# As the client tells itself in this chapter: but from the wire nobody may come with its own address.
from scapy.layers.inet import ICMP, IP, TCP

MTU = 1400


def about(packet):
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=MTU) / bytes(packet)[:28]


def first(seen):
    return next(packet for packet in seen if packet.src == "10.0.0.1" and packet[TCP].flags == "PA")


def heard(seen):
    message = about(seen[-1])
    message.src = "10.0.0.1"
    return message


def ignored(seen):
    return about(first(seen))
