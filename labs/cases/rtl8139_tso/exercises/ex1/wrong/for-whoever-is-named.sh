# expect: tcp-ports-shut
# A rule beside it, for a network that is not here: whoever has such an address comes in by it.
on server iptables-legacy -A INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT
on server iptables-legacy -A INPUT -s 192.168.0.0/16 -p tcp --dport 3000 -j ACCEPT
DOWNLOAD=slow
