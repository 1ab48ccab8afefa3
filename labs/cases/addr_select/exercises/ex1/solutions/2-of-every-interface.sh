# The same for every interface that there is, so that it does not matter which one a route leaves by, and
# through `default` for those that are still to come. Writing to `all` would have no effect: nobody
# reads it there. It gives up the same, on more interfaces.
on node sh -c 'for file in /proc/sys/net/ipv6/conf/*/use_oif_addrs_only; do echo 1 >"$file"; done'
