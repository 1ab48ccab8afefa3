# expect: tcp-ports-shut
# "Established" by flags instead of by connection: all but a SYN comes in, at every port, and of no connection.
on server iptables-legacy -A INPUT -p tcp ! --syn -j ACCEPT
on server iptables-legacy -A INPUT -p icmp --icmp-type 3/4 -j ACCEPT

# The download will then be: slow, or fast?
DOWNLOAD=slow
