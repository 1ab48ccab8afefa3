# expect: others-too
# The route to the peer names a source, and takes the place of the default route: nobody else has an answer.
on node ip -6 route del default
on node ip -6 route add 2001:db8:2::2/128 via 2001:db8:1::1 src 2001:db8:1::2
