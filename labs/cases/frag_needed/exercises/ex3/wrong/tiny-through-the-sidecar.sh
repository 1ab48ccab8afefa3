# expect: full-segments
# Each service by its port: the echo service's offer is right, and the other's is the smallest that everybody has to take.
on server iptables-legacy -t mangle -A OUTPUT -p tcp --sport 7000 --tcp-flags SYN,ACK SYN,ACK -j TCPMSS --set-mss 1440
on server iptables-legacy -t mangle -A OUTPUT -p tcp --sport 443 --tcp-flags SYN,ACK SYN,ACK -j TCPMSS --set-mss 536
