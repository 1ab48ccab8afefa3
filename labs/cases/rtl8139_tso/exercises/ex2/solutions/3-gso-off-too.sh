# With GSO off as well, TCP makes single segments from the start (sk_can_gso() in net/core/sock.c). GSO is the kernel's own
# work and none of the card's: it costs the processor something to be without it, and nothing on the wire.
on server ethtool -K server-eth0 tso off gso off
