# Exercise addr-select/1. Commands for the node, for example:
#   on node sysctl net.ipv6.conf.node-eth0.use_oif_addrs_only
