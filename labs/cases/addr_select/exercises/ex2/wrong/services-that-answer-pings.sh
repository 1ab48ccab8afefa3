# expect: services-by-tcp
# A ping is answered, and nobody is served.
on node ip -6 route replace default via 2001:db8:1::1 src 2001:db8:1::2
on node ip6tables-nft -A INPUT -d 2001:db8:5::/48 -p tcp -j DROP
