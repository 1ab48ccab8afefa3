# expect: lets in other ICMP too
on server iptables-legacy -A INPUT -p icmp -j ACCEPT
DOWNLOAD=slow
