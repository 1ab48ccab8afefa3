# expect: bulk
# No stall any more, and one large segment is soon gone. Whoever sends more than a few waits for the rest.
on client ip route add 10.0.0.2 dev client-eth0 mtu 1480
on client tc qdisc add dev client-eth0 root tbf rate 2mbit burst 15000 limit 1000000
