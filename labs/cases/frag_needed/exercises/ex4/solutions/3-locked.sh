# A locked MTU is the route's, whatever anybody says later (ip_mtu_locked()). Packets of up to 1480 bytes leave without DF
# then, and nobody has to cut them, for they fit.
on client ip route add 10.0.0.2/32 dev client-eth0 mtu lock 1480
