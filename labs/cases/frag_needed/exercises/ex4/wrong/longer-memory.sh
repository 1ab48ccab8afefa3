# expect: mtu_expires was changed
on client sysctl -w net.ipv4.route.mtu_expires=600
