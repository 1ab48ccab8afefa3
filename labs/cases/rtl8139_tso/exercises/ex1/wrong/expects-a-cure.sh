# expect: download-predicted
on server iptables-legacy -A INPUT -p icmp -m icmp --icmp-type fragmentation-needed -j ACCEPT
DOWNLOAD=fast
