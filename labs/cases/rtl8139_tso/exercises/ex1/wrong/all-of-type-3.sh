# expect: other-icmp-out
# The report's own rule: all of "destination unreachable", whatever it is about. Of sixteen codes one speaks of packets
# that are too long.
on server iptables-legacy -I INPUT -p icmp -m icmp --icmp-type 3 -j ACCEPT
DOWNLOAD=slow
