# expect: full-segments
on server ip route add 10.0.0.1 dev server-eth0 advmss 536
