# expect: other-offloads-on
on server ethtool -K server-eth0 tx off sg off tso off
