# expect: few-questions
# Of this setting the kernel reads the outgoing interface's own; `all` is stored and never read.
on node sysctl -w net.ipv6.conf.all.use_oif_addrs_only=1
