# expect: few-questions
# A rule by user: what root sends is cheap, and whatever runs as somebody else looks through all addresses as before.
on node ip -6 route add default via 2001:db8:1::1 dev node-eth0 src 2001:db8:1::2 table 52
on node ip -6 rule add uidrange 0-0 to 2001:db8:2::/64 lookup 52
