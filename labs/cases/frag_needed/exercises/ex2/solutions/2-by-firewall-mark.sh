# The same method for a virtual service chosen by a firewall mark instead of by address and port.
on balancer ipvsadm -C
on balancer iptables-legacy -t mangle -A PREROUTING -d 10.0.0.2 -p tcp -j MARK --set-mark 1
on balancer ipvsadm -A -f 1 -s rr
on balancer ipvsadm -a -f 1 -r 10.0.0.6 -g
