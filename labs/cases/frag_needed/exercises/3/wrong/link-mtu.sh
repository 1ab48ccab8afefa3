# expect: expected every request to be answered
# The interface then also takes in no more than 1480 bytes, and what comes out of the tunnel's far end
# has 1500.
on server ip link set dev server-eth0 mtu 1400
