# expect: no-stall-sidecar-a
# No stall any more, and nothing that goes directly waits. But between the client and its sidecar there is `lo`.
on client ip route add 10.0.0.2 dev client-eth0 mtu 1480
on client tc qdisc add dev lo root netem delay 100ms
