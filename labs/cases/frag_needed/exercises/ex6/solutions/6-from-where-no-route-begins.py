# expect: ignored-counted
# An echo reply, quoted the wrong way round. Nothing is learnt of the way to the service, but something is: of the way to
# the client's own address, which icmp_err() takes for the one that was too narrow. That is no message without effect.
from scapy.layers.inet import ICMP, IP, TCP


def message(quoted):
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=1400) / quoted


def heard(seen):
    return message(bytes(seen[-1])[:28])


def ignored(seen):
    return message(IP(src="10.0.0.2", dst="10.0.0.1") / ICMP(type=0))
