# expect: only-the-setting
# The services still answer; they do not go on as they were.
on node sysctl -w net.ipv6.conf.node-eth0.use_oif_addrs_only=1
on node ip -6 address change 2001:db8:5::7/128 dev lo preferred_lft 0
