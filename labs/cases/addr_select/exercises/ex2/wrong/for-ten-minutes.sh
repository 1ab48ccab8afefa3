# expect: stays
# Right for ten minutes: the kernel deletes the route when it expires, and the walk is back.
on node ip -6 route add 2001:db8:2::/64 via 2001:db8:1::1 src 2001:db8:1::2 expires 600
