# expect: udp-ports-shut
# A rule beside it for what is sent to all on the cable, whoever sends it.
on server iptables-legacy -A INPUT -p icmp --icmp-type fragmentation-needed -j ACCEPT
on server iptables-legacy -A INPUT -m pkttype --pkt-type broadcast -j ACCEPT
DOWNLOAD=slow
