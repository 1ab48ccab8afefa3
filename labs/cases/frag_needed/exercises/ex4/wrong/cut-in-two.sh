# expect: no-fragments
# Locked at the size that does not fit: without DF nobody has to say so. The balancer cuts each full segment instead.
on client ip route add 10.0.0.2 dev client-eth0 mtu lock 1500
