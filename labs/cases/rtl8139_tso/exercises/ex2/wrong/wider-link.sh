# expect: own-hosts
on router ip link set dev router-eth0 mtu 1500
