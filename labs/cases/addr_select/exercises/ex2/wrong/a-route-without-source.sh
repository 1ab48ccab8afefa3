# expect: few-questions
# A more specific route alone says nothing of the source.
on node ip -6 route add 2001:db8:2::/64 via 2001:db8:1::1
