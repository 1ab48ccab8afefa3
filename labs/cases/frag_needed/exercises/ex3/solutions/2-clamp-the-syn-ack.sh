# The firewall can write the same number into the SYN-ACK as it leaves.
on server iptables-legacy -t mangle -A OUTPUT -p tcp --tcp-flags SYN,ACK SYN,ACK -j TCPMSS --set-mss 1440
