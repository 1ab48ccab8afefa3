# expect: bulk-sidecar
# As in throttled.sh, but for what the sidecar sends alone. Two full segments and an answer are soon gone.
on client ip route add 10.0.0.2 dev client-eth0 mtu 1480
on client tc qdisc add dev client-eth0 root handle 1: prio
on client tc qdisc add dev client-eth0 parent 1:3 handle 30: tbf rate 2mbit burst 15000 limit 1000000
on client tc filter add dev client-eth0 parent 1: protocol ip u32 match ip dport 443 0xffff flowid 1:3
