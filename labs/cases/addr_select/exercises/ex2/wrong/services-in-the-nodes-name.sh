# expect: services-by-sends
# The route says it of whoever leaves the source to the kernel, and a NAT of those who do not.
on node ip -6 route replace default via 2001:db8:1::1 src 2001:db8:1::2
on node ip6tables-nft -t nat -A POSTROUTING -o node-eth0 -j SNAT --to-source 2001:db8:1::2
