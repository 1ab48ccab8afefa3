# A ping that is larger than the route now allows is cut by the client itself, and says nothing of A and B.
on client ip route add 10.0.0.2 dev client-eth0 mtu 1480
on client ping -c 1 -W 1 -s 1472 10.0.0.2
