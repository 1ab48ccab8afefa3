# expect: other-protocols-out
# A rule beside it for IGMP, which the kernel knows and does not count by itself.
on server iptables-legacy -A INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT
on server iptables-legacy -A INPUT -p igmp -j ACCEPT
DOWNLOAD=slow
