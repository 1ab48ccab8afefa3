# expect: other-icmp-out
# Fragments that are not put together in time have nothing to do with it.
on server iptables-legacy -A INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT
on server iptables-legacy -A INPUT -p icmp --icmp-type ttl-zero-during-reassembly -j ACCEPT
DOWNLOAD=slow
