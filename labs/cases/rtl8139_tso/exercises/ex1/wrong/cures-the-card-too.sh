# expect: only-the-firewall
on server iptables-legacy -A INPUT -p icmp -m icmp --icmp-type fragmentation-needed -j ACCEPT
on server ethtool -K server-eth0 tso off
DOWNLOAD=fast
