# expect: own-source
# Fast, but in the name of a service: the answers go there, and so do other people's firewalls.
on node ip -6 route replace default via 2001:db8:1::1 src 2001:db8:5::1
