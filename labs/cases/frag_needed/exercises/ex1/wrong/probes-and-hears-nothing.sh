# expect: no-frag-needed-between
# TCP begins with little and probes for more, which the balancer refuses; and nobody at the client hears of it.
on client sysctl -w net.ipv4.tcp_mtu_probing=2 net.ipv4.tcp_base_mss=1400
on client iptables-legacy -A INPUT -p icmp -j DROP
