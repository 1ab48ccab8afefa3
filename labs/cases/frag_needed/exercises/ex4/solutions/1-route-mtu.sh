# An exception is a memory, and memories expire; a route's metric does not. The new route makes all
# cached ones invalid (rt_genid), so each connection takes it over at its next segment, while the
# exception still keeps that segment small. From then on the MTU is 1480 with or without exception.
on client ip route add 10.0.0.2 dev client-eth0 mtu 1480
