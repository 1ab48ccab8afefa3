# expect: other-icmp-out
on server iptables-legacy -A INPUT -p icmp -j ACCEPT
DOWNLOAD=slow
