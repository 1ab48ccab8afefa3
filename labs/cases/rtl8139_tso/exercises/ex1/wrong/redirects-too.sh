# expect: other-icmp-out
# What a router may say of another way is nothing about a packet that is too long.
on server iptables-legacy -A INPUT -p icmp -m icmp --icmp-type fragmentation-needed -j ACCEPT
on server iptables-legacy -A INPUT -p icmp -m icmp --icmp-type redirect -j ACCEPT
DOWNLOAD=slow
