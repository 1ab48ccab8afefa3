# expect: full-segments-of-server
# As half-as-large-itself, and a capture shows two segments as one, if the interface is left to cut them.
on server ip route add 10.0.0.1 dev server-eth0 mtu 700 advmss 1440
on server ethtool -K server-eth0 tso on gso on
