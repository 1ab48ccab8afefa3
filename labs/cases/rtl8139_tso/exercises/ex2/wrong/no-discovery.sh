# expect: df
# nginx's listening socket was opened before, and its connections go on asking for discovery; but each
# ICMP now makes the kernel lock an MTU of 552, and with the lock goes DF.
on server iptables-legacy -A INPUT -p icmp -m icmp --icmp-type 3 -j ACCEPT
on server sysctl -w net.ipv4.ip_no_pmtu_disc=1
