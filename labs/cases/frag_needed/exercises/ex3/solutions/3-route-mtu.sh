# A smaller MTU on the way to the client lowers the offer too (its default is the MTU less 40 bytes),
# at the price of smaller segments from the server.
on server ip route add 10.0.0.1 dev server-eth0 mtu 1480
