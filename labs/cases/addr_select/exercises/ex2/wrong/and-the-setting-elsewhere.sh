# expect: without-the-setting
# A source on the route, and for all interfaces but the uplink what was to stay off.
on node ip -6 route replace default via 2001:db8:1::1 src 2001:db8:1::2
on node sysctl -w net.ipv6.conf.lo.use_oif_addrs_only=1 net.ipv6.conf.default.use_oif_addrs_only=1
