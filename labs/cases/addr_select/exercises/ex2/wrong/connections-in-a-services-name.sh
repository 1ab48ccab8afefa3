# expect: own-source
# Datagrams have the right source, and connections to the peer are made in the name of a service.
on node ip -6 route replace default via 2001:db8:1::1 src 2001:db8:1::2
on node ip -6 route add 2001:db8:2::/64 via 2001:db8:1::1 dev node-eth0 src 2001:db8:5::1 table 53
on node ip -6 rule add to 2001:db8:2::/64 ipproto tcp lookup 53
