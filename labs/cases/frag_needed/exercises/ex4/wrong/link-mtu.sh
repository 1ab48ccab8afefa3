# expect: requests-answered
# Right for new connections, which would then offer the server a smaller size. On these two the server
# goes on sending 1500 bytes, which the interface no longer takes in.
on client ip link set dev client-eth0 mtu 1480
