# expect: without-the-setting
# The same cable by another interface, made for the purpose: what leaves by it asks the addresses of that one alone.
router=2001:db8:1::1
on node ip link add way link node-eth0 type macvlan mode bridge
on node ip link set way up
on node ip -6 address add 2001:db8:1::2/128 dev way nodad
on node sysctl -w net.ipv6.conf.way.use_oif_addrs_only=1
on node ip -6 route add 2001:db8:2::/64 via $router dev way onlink
