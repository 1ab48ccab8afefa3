# expect: still-open
# The page is there by lo too, by its port and because its answer belongs to a connection. Nothing else is.
on server iptables-legacy -F INPUT
on server iptables-legacy -P INPUT DROP
on server iptables-legacy -A INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT
on server iptables-legacy -A INPUT -p icmp --icmp-type echo-request -j ACCEPT
on server iptables-legacy -A INPUT -p tcp --dport 80 -j ACCEPT
DOWNLOAD=slow
