# expect: tcp-ports-shut
# Not one port more that somebody listens at, and still one that answers: nginx's, by another number.
on server iptables-legacy -A INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT
on server iptables-legacy -t nat -A PREROUTING -p tcp --dport 8080 -j REDIRECT --to-ports 80
DOWNLOAD=slow
