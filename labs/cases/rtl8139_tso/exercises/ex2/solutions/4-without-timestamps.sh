# TSO off, and no timestamps: without their twelve bytes a full segment of the same MSS carries 1320 (RFC 6691).
on server ethtool -K server-eth0 tso off
on server sysctl -w net.ipv4.tcp_timestamps=0
