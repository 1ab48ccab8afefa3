# expect: requests-answered
# What comes from the balancer is always 20 bytes larger than the MSS offered here allows for, and this
# interface takes in no more than its MTU.
on server ip link set dev server-eth0 mtu 1400
