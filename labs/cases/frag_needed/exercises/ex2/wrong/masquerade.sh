# expect: requests-answered
# With NAT the answers would have to come back through the balancer; this server answers directly.
on balancer ipvsadm -e -t 10.0.0.2:443 -r 10.0.0.6 -m
on balancer ipvsadm -e -t 10.0.0.2:7000 -r 10.0.0.6 -m
