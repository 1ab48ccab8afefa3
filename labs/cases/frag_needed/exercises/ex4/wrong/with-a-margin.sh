# expect: no-frag-needed
# A and B size for 1480 by now, so the client refuses a segment once more on each.
on client ip route add 10.0.0.2 dev client-eth0 mtu 1400
