# expect: within-mss
# GSO is the kernel's own segmentation. Without it the card's is all there is.
on server ethtool -K server-eth0 gso off
