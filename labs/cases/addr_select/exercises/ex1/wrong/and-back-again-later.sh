# expect: nothing-left-running
# In case this locks somebody out: as it was, ten minutes later.
on node sysctl -w net.ipv6.conf.node-eth0.use_oif_addrs_only=1
(sleep 600; on node sysctl -w net.ipv6.conf.node-eth0.use_oif_addrs_only=0) >/dev/null 2>&1 &
