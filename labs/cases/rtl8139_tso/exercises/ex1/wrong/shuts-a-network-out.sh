# expect: still-open
# It lets the message in, and a whole network no longer.
on server iptables-legacy -A INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT
on server iptables-legacy -I INPUT -s 192.168.0.0/16 -j DROP
DOWNLOAD=slow
