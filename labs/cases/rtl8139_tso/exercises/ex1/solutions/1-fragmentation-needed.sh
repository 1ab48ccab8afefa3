# Type 3, code 4 and nothing else is let in: the one message that path MTU discovery lives on (RFC 1191,
# section 4). The server then hears the router and learns 1420. But its segments have been smaller than
# that since the handshake, so there is nothing that TCP could make smaller: the card makes them too large,
# behind TCP's back. The download stays as slow as it was.
on server iptables-legacy -A INPUT -p icmp -m icmp --icmp-type fragmentation-needed -j ACCEPT
DOWNLOAD=slow
