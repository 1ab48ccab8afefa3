# expect: own-hosts
# A smaller offer is for connections to come, and the server is not yours here.
on server ip route add 10.0.0.1 dev server-eth0 advmss 1440
