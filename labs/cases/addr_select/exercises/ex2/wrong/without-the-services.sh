# expect: services-owned
# Nothing to look through any more, and nobody is served.
on node ip link set lo down
on node ip link set lo up
