# expect: packets-through-balancer
# The server has the VIP, too, and takes what comes for it from the wire: nothing is too large any more, nothing balanced.
on client ip route add 10.0.0.2 via 10.0.0.6 dev client-eth0
