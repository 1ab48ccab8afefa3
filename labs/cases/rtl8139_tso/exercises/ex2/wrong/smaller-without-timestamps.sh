# expect: full-segments
# TSO off, and a route by which a segment has 1268 bytes; without timestamps as much as with them.
on server ethtool -K server-eth0 tso off
on server sysctl -w net.ipv4.tcp_timestamps=0
on server ip route replace default via 10.8.1.1 mtu 1308
