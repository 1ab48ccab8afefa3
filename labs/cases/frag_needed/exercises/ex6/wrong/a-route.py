# expect: without-root
# A smaller MTU by a route of the host that it runs on: that is not its own to set, and would not be the client's.
from scapy.layers.inet import ICMP, IP, TCP

MTU = 1400


def about(packet):
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=MTU) / bytes(packet)[:28]


def first(seen):
    return next(packet for packet in seen if packet.src == "10.0.0.1" and packet[TCP].flags == "PA")


def heard(seen):
    import subprocess

    said = subprocess.run(["ip", "route", "add", "10.0.0.2", "dev", "bystander-eth0", "mtu", "1400"])
    said.check_returncode()
    return about(seen[-1])


def ignored(seen):
    return about(first(seen))
