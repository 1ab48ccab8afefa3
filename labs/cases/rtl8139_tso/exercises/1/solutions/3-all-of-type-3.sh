# The report's own rule: all of "destination unreachable". The other codes tell a host that what it sends
# arrives nowhere, which it also does well to hear.
on server iptables-legacy -I INPUT -p icmp -m icmp --icmp-type 3 -j ACCEPT
DOWNLOAD=slow
