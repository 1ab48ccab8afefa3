# expect: few-questions
# The addresses are on lo, but the packet leaves by another interface.
on node sysctl -w net.ipv6.conf.lo.use_oif_addrs_only=1
