# expect: nothing-left-running
# In case one locks oneself out: ten minutes later it is as it was.
on node ip -6 route replace default via 2001:db8:1::1 src 2001:db8:1::2
(sleep 600; on node ip -6 route replace default via 2001:db8:1::1) >/dev/null 2>&1 &
