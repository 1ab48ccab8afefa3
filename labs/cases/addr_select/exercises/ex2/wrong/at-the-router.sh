# expect: own-hosts
# Whatever the router says of the way, it is the node that chooses its source.
on router ip -6 route replace 2001:db8:2::/64 dev router-eth1 src 2001:db8:2::1
