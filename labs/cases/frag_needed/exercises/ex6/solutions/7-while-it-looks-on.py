# The same, by a program that says what it does on a line that it leaves open, and keeps what it was shown in a file.
from scapy.layers.inet import ICMP, IP, TCP
from scapy.utils import wrpcap

MTU = 1400


def about(packet):
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=MTU) / bytes(packet)[:28]


def heard(seen):
    wrpcap("seen.pcap", seen)
    print("in flight from", seen[-1][TCP].seq, end=" ")
    return about(seen[-1])


def ignored(seen):
    return about(next(packet for packet in seen if packet.src == "10.0.0.1" and packet[TCP].flags == "PA"))
