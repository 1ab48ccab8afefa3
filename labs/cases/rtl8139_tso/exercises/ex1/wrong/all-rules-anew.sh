# expect: still-open
# The rules are written anew, without the one for lo: what runs on the server itself reaches it no more.
on server iptables-legacy -F INPUT
on server iptables-legacy -A INPUT -p tcp --dport 80 -j ACCEPT
on server iptables-legacy -A INPUT -p icmp --icmp-type echo-request -j ACCEPT
on server iptables-legacy -A INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT
DOWNLOAD=slow
