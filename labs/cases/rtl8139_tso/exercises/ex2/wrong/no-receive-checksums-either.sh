# expect: other-offloads-on
# What the card computes of packets that come in has no part in it.
on server ethtool -K server-eth0 tso off rx off
