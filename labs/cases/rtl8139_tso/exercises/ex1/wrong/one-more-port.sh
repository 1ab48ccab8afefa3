# expect: tcp-ports-shut
on server iptables-legacy -A INPUT -p icmp -m icmp --icmp-type fragmentation-needed -j ACCEPT
on server iptables-legacy -A INPUT -p tcp --dport 22 -j ACCEPT
DOWNLOAD=slow
