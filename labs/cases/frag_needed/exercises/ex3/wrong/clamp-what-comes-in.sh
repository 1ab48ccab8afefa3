# expect: no-stall-direct-b
# The client's SYN limits what the server sends; the offer that counts is the server's.
on server iptables-legacy -t mangle -A INPUT -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --set-mss 1440
