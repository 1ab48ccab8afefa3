# expect: own-hosts
on router sysctl -w net.ipv6.conf.router-eth0.use_oif_addrs_only=1
