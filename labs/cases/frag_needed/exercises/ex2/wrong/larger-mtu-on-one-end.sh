# expect: requests-answered
# The wire between still carries 1500 bytes; what is larger is lost, and nobody says so any more.
on balancer ip link set dev balancer-eth0 mtu 1520
