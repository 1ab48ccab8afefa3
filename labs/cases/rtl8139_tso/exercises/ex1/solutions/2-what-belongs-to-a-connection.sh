# Connection tracking knows to which connection an ICMP error belongs, by the packet quoted in it. What
# belongs to none is dropped as before. This is what most firewalls do, and it lets in every such error.
on server iptables-legacy -A INPUT -p icmp -m conntrack --ctstate RELATED -j ACCEPT
DOWNLOAD=slow
