# The same for everybody on the wire: the connected route itself gets the MTU. It reaches the two
# connections in the same way, and costs 20 bytes to all who need not pay them.
on client ip route replace 10.0.0.0/24 dev client-eth0 src 10.0.0.1 mtu 1480
