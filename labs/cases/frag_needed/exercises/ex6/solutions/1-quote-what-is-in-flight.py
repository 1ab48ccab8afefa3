# A router quotes the packet that it refuses. Here it is the one in flight: its IP header and eight bytes, which have
# the ports and the sequence number. tcp_v4_err() finds the socket by addresses and ports, and asks whether the number
# lies between snd_una and snd_nxt. That of a packet which was acknowledged lies before snd_una: TcpExtOutOfWindowIcmps
# counts it, and that is all. Nobody asks who has sent the message.
from scapy.layers.inet import ICMP, IP, TCP

MTU = 1400


def about(packet):
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=MTU) / bytes(packet)[:28]


def heard(seen):
    return about(seen[-1])


def ignored(seen):
    return about(next(packet for packet in seen if packet.src == "10.0.0.1" and packet[TCP].flags == "PA"))
