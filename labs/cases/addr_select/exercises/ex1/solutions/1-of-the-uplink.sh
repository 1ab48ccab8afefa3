# ipv6_dev_get_saddr() reads the setting of the interface that the packet leaves by, and then passes that
# one interface to __ipv6_dev_get_saddr(), where it would else pass every interface of the host. What is
# given up: an address of another interface can no longer be chosen, also where that is wanted (a router
# with all its addresses on lo), unless a program binds to it or a route names it.
on node sysctl -w net.ipv6.conf.node-eth0.use_oif_addrs_only=1
