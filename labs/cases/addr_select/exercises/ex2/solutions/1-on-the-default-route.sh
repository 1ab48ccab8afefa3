# ip6_route_get_saddr() takes the route's preferred source (fib6_prefsrc) and never calls
# ipv6_dev_get_saddr(): not even the destination's label is looked up. What is given up: the address is a
# constant now. When it goes, the kernel takes it out of the route, silently, and the walk is back: it is an
# address of the route's own device. One of lo would stay in the route (fib6_remove_prefsrc() compares devices in 6.1).
# And no rule of RFC 6724 is asked, so a destination of another scope gets it as well.
on node ip -6 route replace default via 2001:db8:1::1 src 2001:db8:1::2
