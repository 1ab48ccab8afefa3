# A second interface on the same wire (macvlan) has the smaller MTU, and only the service is behind it. So nobody else's
# packets carry less; but each packet to the service passes two interfaces.
on client ip link add small link client-eth0 mtu 1480 type macvlan mode bridge
on client ip link set small up
on client ip route add 10.0.0.2 dev small src 10.0.0.1
