# expect: full-segments
on client ip route add 10.0.0.2 dev client-eth0 mtu 576
