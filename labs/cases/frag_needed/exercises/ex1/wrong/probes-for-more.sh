# expect: no-frag-needed-between
# TCP starts with segments that fit, and probes for a larger MTU as soon as it has much to send: such a probe is refused.
on client sysctl -w net.ipv4.tcp_mtu_probing=2 net.ipv4.tcp_base_mss=1400
