# expect: requests-answered
# Direct routing for what a mark is on, and only packets from 10.0.0.1 get one: to all others the balancer itself
# answers, with a reset.
on balancer ipvsadm -C
for port in 443 7000; do
    on balancer iptables-legacy -t mangle -A PREROUTING -s 10.0.0.1 -d 10.0.0.2 -p tcp --dport $port -j MARK --set-mark 1
done
on balancer ipvsadm -A -f 1 -s rr
on balancer ipvsadm -a -f 1 -r 10.0.0.6 -g
