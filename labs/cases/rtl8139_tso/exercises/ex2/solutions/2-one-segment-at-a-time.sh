# The limit on how many segments one packet may stand for is the device's own attribute (gso_max_segs).
# With 1, TCP never gathers two (tcp_tso_segs()). More work for the stack than TSO off, which still has
# GSO; and no word in `ethtool -k` shows that anything was changed.
on server ip link set dev server-eth0 gso_max_segs 1
