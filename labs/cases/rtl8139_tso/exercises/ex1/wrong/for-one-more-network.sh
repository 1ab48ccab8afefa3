# expect: tcp-ports-shut
# Each of the router's addresses by itself, and then a network that is none of these.
for router in 10.8.1.1 10.8.2.1 10.8.3.1 10.8.8.1; do
    on server iptables-legacy -A INPUT -s $router -p icmp --icmp-type fragmentation-needed -j ACCEPT
done
on server iptables-legacy -A INPUT -s 192.168.0.0/16 -p tcp --dport 22 -j ACCEPT
DOWNLOAD=slow
