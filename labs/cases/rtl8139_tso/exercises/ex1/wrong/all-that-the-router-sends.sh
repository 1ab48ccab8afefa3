# expect: other-icmp-out
# The messages come from there, and so may anything else.
on server iptables-legacy -A INPUT -s 10.8.1.1 -j ACCEPT
DOWNLOAD=slow
