# expect: own-hosts
# Whoever owns the router could have it say nothing, or cut. You own the server.
on server iptables-legacy -A INPUT -p icmp -m icmp --icmp-type fragmentation-needed -j ACCEPT
on router iptables-legacy -t mangle -A FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --set-mss 500
DOWNLOAD=slow
