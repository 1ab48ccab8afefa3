# expect: udp-ports-shut
# Nobody in the report's networks, and everybody else.
on server iptables-legacy -A INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT
on server iptables-legacy -A INPUT ! -s 10.8.0.0/16 -p udp --dport 5000:65535 -j ACCEPT
DOWNLOAD=slow
