# A route to the peer's network alone, which says the source: all other destinations are asked for as
# before, and pay as before. That is the smaller change, and the one that has to be made for each
# network; a routing daemon can do it for all routes that it writes (BIRD: krt_prefsrc).
on node ip -6 route add 2001:db8:2::/64 via 2001:db8:1::1 src 2001:db8:1::2
