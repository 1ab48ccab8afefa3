# expect: expiry-unchanged
# The setting is looked at after each expiry, not only at the begin.
on client ip route add 10.0.0.2 dev client-eth0 mtu 1480
(sleep 5; on client sysctl -w net.ipv4.route.mtu_expires=600) >/dev/null 2>&1 &
