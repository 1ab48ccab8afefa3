# expect: expected fast, and it is slow
on server iptables-legacy -A INPUT -p icmp -m icmp --icmp-type fragmentation-needed -j ACCEPT
DOWNLOAD=fast
