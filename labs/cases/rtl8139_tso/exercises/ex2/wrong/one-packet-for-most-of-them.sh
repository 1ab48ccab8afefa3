# expect: within-mss-smallest
# No packet of two segments leaves room in these bytes, but for who asks for the smallest and has timestamps.
on server ip link set dev server-eth0 gso_max_size 600
