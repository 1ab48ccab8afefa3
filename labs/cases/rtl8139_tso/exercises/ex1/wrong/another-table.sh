# expect: icmp-heard
# A host may have two sets of rules, iptables-legacy's and iptables-nft's; a packet has to pass both.
on server iptables-nft -A INPUT -p icmp -m icmp --icmp-type fragmentation-needed -j ACCEPT
DOWNLOAD=slow
