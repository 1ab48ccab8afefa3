# expect: nothing-left-running
# In case one locks oneself out: five minutes later it is as it was.
on client ip route add 10.0.0.2 dev client-eth0 mtu 1480
(sleep 300; on client ip route del 10.0.0.2) >/dev/null 2>&1 &
