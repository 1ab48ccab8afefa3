# expect: without-root
# It does not leave the sending to others.
from scapy.layers.inet import ICMP, IP, TCP

MTU = 1400


def about(packet):
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=MTU) / bytes(packet)[:28]


def first(seen):
    return next(packet for packet in seen if packet.src == "10.0.0.1" and packet[TCP].flags == "PA")


def heard(seen):
    from socket import AF_INET, IPPROTO_RAW, SOCK_RAW, socket

    message = about(seen[-1])
    with socket(AF_INET, SOCK_RAW, IPPROTO_RAW) as raw:
        raw.sendto(bytes(message), ("10.0.0.1", 0))
    return message


def ignored(seen):
    return about(first(seen))
