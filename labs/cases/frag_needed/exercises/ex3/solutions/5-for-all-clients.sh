# The connected route itself, so for every client on the wire: an MTU of 1400 there makes the offer 1360, in all SYN-ACKs
# at once. The server's own packets shrink with it.
on server ip route replace 10.0.0.0/24 dev server-eth0 src 10.0.0.6 mtu 1400
