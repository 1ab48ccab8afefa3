# A rule sends what goes to the peer's network, by whatever protocol, through a table of its own, and the one route there
# says the source. Main stays as it is, and may be written by whoever writes it. What is given up: who looks for the
# source in `ip -6 route` does not find it; `ip -6 route get 2001:db8:2::2` says it.
on node ip -6 route add default via 2001:db8:1::1 dev node-eth0 src 2001:db8:1::2 table 52
on node ip -6 rule add to 2001:db8:2::/64 lookup 52
