# expect: no-stall-direct-b
# The SYN that passes here limits what the server sends. What limits the client is the SYN-ACK, and
# that goes past the balancer.
on balancer iptables-legacy -t mangle -A PREROUTING -p tcp -d 10.0.0.2 --tcp-flags SYN,RST SYN -j TCPMSS --set-mss 1440
