# expect: says-download
on server iptables-legacy -A INPUT -p icmp -m icmp --icmp-type fragmentation-needed -j ACCEPT
DOWNLOAD=
