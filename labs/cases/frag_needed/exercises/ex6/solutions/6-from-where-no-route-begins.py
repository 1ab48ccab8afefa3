# An echo reply, quoted the wrong way round: as if the service had sent it. icmp_err() in net/ipv4/icmp.c takes an error
# about one for news of the route from there to here, and looks that route up. But no route of this host begins at an
# address that is another's (ip_route_output_key_hash_rcu() in net/ipv4/route.c): nothing is learnt, and nothing counted.
from scapy.layers.inet import ICMP, IP, TCP


def message(quoted):
    return IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=1400) / quoted


def heard(seen):
    return message(bytes(seen[-1])[:28])


def ignored(seen):
    return message(IP(src="10.0.0.2", dst="10.0.0.1") / ICMP(type=0))
