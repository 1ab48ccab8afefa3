# expect: services-owned
# Fast, and nobody is served any more.
on node ip link set lo down
on node ip link set lo up
