# expect: without-the-setting
# Off when the answer has ended, on by the time that a packet is sent.
(sleep 0.3; on node sysctl -w net.ipv6.conf.node-eth0.use_oif_addrs_only=1) >/dev/null 2>&1 &
