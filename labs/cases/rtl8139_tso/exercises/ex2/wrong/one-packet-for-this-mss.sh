# expect: within-mss-other
# A packet may have 2000 bytes, less 321 for headers: one of this reader's segments is all that fits in, and the card
# has nothing to cut. Of a reader's with a smaller MSS several do.
on server ip link set dev server-eth0 gso_max_size 2000
