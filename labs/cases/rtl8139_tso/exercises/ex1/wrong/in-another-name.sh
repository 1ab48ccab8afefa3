# expect: only-incoming
# Lets in what it should, and has the server's own packets say that somebody else sends them.
on server iptables-legacy -A INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT
on server iptables-legacy -t nat -A POSTROUTING -p udp -j MASQUERADE
DOWNLOAD=slow
