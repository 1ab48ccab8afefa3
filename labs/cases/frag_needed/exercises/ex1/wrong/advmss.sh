# expect: no-stall-direct-b
# advmss is what this client offers others; it shortens the server's segments, not the client's.
on client ip route add 10.0.0.2 dev client-eth0 advmss 1440
