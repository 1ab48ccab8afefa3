# expect: udp-ports-shut
# A rule beside it for what is sent to groups of hosts.
on server iptables-legacy -A INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT
on server iptables-legacy -A INPUT -d 224.0.0.0/4 -j ACCEPT
DOWNLOAD=slow
