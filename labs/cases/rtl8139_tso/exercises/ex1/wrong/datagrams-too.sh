# expect: lets in UDP to port
on server iptables-legacy -A INPUT -p icmp -m icmp --icmp-type fragmentation-needed -j ACCEPT
on server iptables-legacy -A INPUT -p udp -j ACCEPT
DOWNLOAD=slow
