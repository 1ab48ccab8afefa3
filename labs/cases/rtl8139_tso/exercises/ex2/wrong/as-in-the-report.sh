# expect: more is off than needed
on server ethtool -K server-eth0 tx off sg off tso off
