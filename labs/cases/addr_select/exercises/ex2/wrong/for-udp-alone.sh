# expect: few-questions
# A rule by protocol: a ping and a connection to the peer look through all addresses as before.
on node ip -6 route add 2001:db8:2::2/128 via 2001:db8:1::1 dev node-eth0 src 2001:db8:1::2 table 100
on node ip -6 rule add to 2001:db8:2::2/128 ipproto udp lookup 100
