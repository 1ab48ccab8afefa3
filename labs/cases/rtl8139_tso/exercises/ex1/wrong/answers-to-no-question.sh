# expect: other-icmp-out
# Answers of a ping's kind, which nobody has asked for, from one of the neighbours.
on server iptables-legacy -A INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT
for type in 0 16 43; do
    on server iptables-legacy -A INPUT -s 10.8.3.2 -p icmp --icmp-type $type -j ACCEPT
done
DOWNLOAD=slow
