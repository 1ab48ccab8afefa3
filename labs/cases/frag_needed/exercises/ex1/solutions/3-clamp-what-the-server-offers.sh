# The client may also shorten the server's offer as it comes in: the SYN-ACK's MSS option, before TCP
# reads it. tcp_sync_mss() never goes above what the other side offered, whatever the route says.
on client iptables-legacy -t mangle -A INPUT -p tcp -s 10.0.0.2 --tcp-flags SYN,RST SYN -j TCPMSS --set-mss 1440
