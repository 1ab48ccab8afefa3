# expect: own-source
# The peer gets the right source, and everybody else packets in the name of a service.
on node ip -6 route replace default via 2001:db8:1::1 src 2001:db8:5::1
on node ip -6 route add 2001:db8:2::/64 via 2001:db8:1::1 src 2001:db8:1::2
