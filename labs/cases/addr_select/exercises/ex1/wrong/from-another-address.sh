# expect: own-source
# The setting, and a new address on the uplink that is closer to the peer: rule 8 prefers it.
on node sysctl -w net.ipv6.conf.node-eth0.use_oif_addrs_only=1
on node ip -6 address add 2001:db8:2::5/128 dev node-eth0 nodad
