# expect: expiry-unchanged
on client sysctl -w net.ipv4.route.mtu_expires=600
