# expect: few-questions
# The right thing for the wrong destination.
on node ip -6 route add 2001:db8:1::/64 dev node-eth0 src 2001:db8:1::2 metric 1
