# expect: few-questions
# `default` is what an interface begins with, and this one has begun.
on node sysctl -w net.ipv6.conf.default.use_oif_addrs_only=1
