# A message about a protocol other than TCP is of no use to a TCP connection, but the client has to look who it is for.
# That of an echo request goes to ping_err() in net/ipv4/ping.c, which looks for the socket of the ping by its number; there
# is none, and it says nothing of that to any counter. (Solution 3 quotes an echo reply, and that is another matter.)
from scapy.all import ICMP, IP

CLIENT, SERVICE = "10.0.0.1", "10.0.0.2"


def message(quoted):
    return IP(dst=CLIENT) / ICMP(type=3, code=4, nexthopmtu=1400) / quoted


def heard(seen):
    return message(bytes(seen[-1])[:28])


def ignored(seen):
    return message(IP(src=CLIENT, dst=SERVICE, flags="DF", len=1500) / ICMP(type=8, id=4711, seq=1))
