# expect: udp-ports-shut
on server iptables-legacy -A INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT
on server iptables-legacy -A INPUT -d 10.8.1.255 -p udp --dport 137:138 -j ACCEPT
DOWNLOAD=slow
