# expect: without-the-setting
on node sysctl -w net.ipv6.conf.node-eth0.use_oif_addrs_only=1
