# expect: only-the-setting
# As good, and not what was asked for: the next exercise's.
on node ip -6 route replace default via 2001:db8:1::1 src 2001:db8:1::2
