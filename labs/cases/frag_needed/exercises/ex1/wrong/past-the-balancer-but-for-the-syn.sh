# expect: packets-through-balancer
# The balancer sees each connection begin, and nothing more of it.
on client ip route add 10.0.0.2 via 10.0.0.6 dev client-eth0 table 100
on client ip rule add fwmark 1 lookup 100
on client iptables-legacy -t mangle -A OUTPUT -p tcp -d 10.0.0.2 --dport 7000 ! --syn -j MARK --set-mark 1
on client iptables-legacy -t mangle -A OUTPUT -p tcp -d 10.0.0.2 --dport 443 ! --syn -m owner --uid-owner haproxy -j MARK --set-mark 1
