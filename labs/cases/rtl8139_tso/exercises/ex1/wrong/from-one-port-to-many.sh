# expect: tcp-ports-shut
# As for active FTP: whoever sends from port 20 reaches all of the server's high ports.
on server iptables-legacy -A INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT
on server iptables-legacy -A INPUT -p tcp --sport 20 --dport 1024:65535 -j ACCEPT
DOWNLOAD=slow
