# expect: other-icmp-out
on server iptables-legacy -A INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT
on server iptables-legacy -A INPUT -p icmp --icmp-type 30 -j ACCEPT
DOWNLOAD=slow
