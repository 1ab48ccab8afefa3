# expect: full-segments-of-server
# What it offers is right. But the route's MTU is for what the server sends, and that does not go through the tunnel.
on server ip route add 10.0.0.1 dev server-eth0 mtu 700 advmss 1440
