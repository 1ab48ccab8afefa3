# expect: no-stall-sidecar-b
# What the direct client uses is mended, the other service has its tunnel.
on balancer ipvsadm -e -t 10.0.0.2:7000 -r 10.0.0.6 -g
