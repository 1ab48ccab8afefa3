# expect: no-stall-other-direct
# Direct routing for packets from 10.0.0.1, by a mark, beside the services as they were: others are served, and stall.
on balancer iptables-legacy -t mangle -A PREROUTING -s 10.0.0.1 -d 10.0.0.2 -p tcp -j MARK --set-mark 1
on balancer ipvsadm -A -f 1 -s rr
on balancer ipvsadm -a -f 1 -r 10.0.0.6 -g
