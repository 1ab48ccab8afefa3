# expect: only-the-setting
# So that no packet can ever come from elsewhere, all that leaves is given the node's address: a service's own, too.
on node sysctl -w net.ipv6.conf.node-eth0.use_oif_addrs_only=1
on node ip6tables-nft -t nat -I POSTROUTING -s 2001:db8:5::/48 -j SNAT --to-source 2001:db8:1::2
