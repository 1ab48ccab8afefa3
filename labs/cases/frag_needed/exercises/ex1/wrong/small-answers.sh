# expect: full-segments-of-server
# The client's segments fit, and are as large as they may be. But in its SYN the client now asks for tiny ones.
on client ip route add 10.0.0.2 dev client-eth0 mtu 1480 advmss 536
