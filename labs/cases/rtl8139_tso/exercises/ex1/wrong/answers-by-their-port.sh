# expect: udp-ports-shut
# Not by connection, but by port: whoever sends from 53 or 123 comes in, to any port.
on server iptables-legacy -A INPUT -p icmp -m icmp --icmp-type fragmentation-needed -j ACCEPT
# the server asks for names and for the time, and has to hear the answers
for port in 53 123; do
    on server iptables-legacy -A INPUT -p udp --sport "$port" -j ACCEPT
done

# The download will then be: slow, or fast?
DOWNLOAD=slow
