# Exercise frag-needed/6: two messages to the client, 10.0.0.1, from beside the path. Each function returns one packet;
# the file is run with nobody's rights, in 60 s.
# `seen` is what a mirror port has shown of one connection of the client's to 10.0.0.2: a list of IP packets, as Scapy
# has them, the oldest first, of long ones the first bytes. The last one has not been acknowledged. To look at them, have
# the verdict say what they are:
#     raise SystemExit("; ".join(packet.sprintf("%IP.src% > %IP.dst% %TCP.flags% %TCP.seq%") for packet in seen))
from scapy.layers.inet import ICMP, IP, TCP

MTU = 1400


def heard(seen):
    """By this one the client's next connections send smaller segments."""
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=MTU)


def ignored(seen):
    """This one the client receives and takes no notice of; what it quotes is a packet between the same two hosts, too."""
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=MTU)
