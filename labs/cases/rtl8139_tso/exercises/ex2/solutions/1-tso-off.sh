# The kernel still gathers a large packet for the whole of its own stack (GSO), but cuts it before the
# driver gets it: validate_xmit_skb() finds that the card cannot, and calls skb_gso_segment(). The card
# sends single segments as it gets them, and goes on computing their checksums.
on server ethtool -K server-eth0 tso off
