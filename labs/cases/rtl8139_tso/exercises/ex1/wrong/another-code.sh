# expect: icmp-heard
# Type 3, code 1: somebody is unreachable. That is another message.
on server iptables-legacy -A INPUT -p icmp -m icmp --icmp-type host-unreachable -j ACCEPT
DOWNLOAD=slow
