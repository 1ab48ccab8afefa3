# expect: stays
# The route does not expire, but the address does that it names; and then the kernel takes the source out of the route.
on node ip -6 address change 2001:db8:1::2/64 dev node-eth0 valid_lft 600 preferred_lft 600
on node ip -6 route replace default via 2001:db8:1::1 src 2001:db8:1::2
