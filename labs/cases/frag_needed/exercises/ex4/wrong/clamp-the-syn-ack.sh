# expect: no-frag-needed
# Right for new connections. These two have read their SYN-ACK long ago.
on client iptables-legacy -t mangle -A INPUT -p tcp -s 10.0.0.2 --tcp-flags SYN,RST SYN -j TCPMSS --set-mss 1440
