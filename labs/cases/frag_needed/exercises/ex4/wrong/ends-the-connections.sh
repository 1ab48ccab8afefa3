# expect: requests-answered
# New ones would be fast. These two had to stay.
on client ip route add 10.0.0.2 dev client-eth0 mtu 1480
on client ss -K dst 10.0.0.2
