# expect: not-cut
on server ip route replace default via 10.8.1.1 mtu lock 1320
