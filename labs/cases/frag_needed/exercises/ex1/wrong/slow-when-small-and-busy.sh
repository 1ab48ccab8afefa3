# expect: no-stall-direct-a-small
# As slow-when-small, for packets that carry data; and what is left running keeps the processor from ever being idle.
on client ip route add 10.0.0.2 dev client-eth0 mtu 1480
on client tc qdisc add dev client-eth0 root handle 1: prio
on client tc qdisc add dev client-eth0 parent 1:3 handle 30: netem delay 250ms
on client tc filter add dev client-eth0 parent 1: protocol ip u32 match u16 0 0xff00 at 2 flowid 1:3
while :; do :; done &
