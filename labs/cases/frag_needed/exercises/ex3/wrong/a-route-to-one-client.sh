# expect: requests-answered
# The offer is right, and the only route left is that to 10.0.0.1: nobody else on the wire gets an answer.
on server ip route add 10.0.0.1 dev server-eth0 src 10.0.0.6 advmss 1440
on server ip route delete 10.0.0.0/24 dev server-eth0
