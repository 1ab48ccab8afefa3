# expect: full-segments
# Segments so small that two of them fit in one frame of the card's.
on server ip route replace default via 10.8.1.1 mtu 700
on server ip link set dev server-eth0 gso_max_segs 1
