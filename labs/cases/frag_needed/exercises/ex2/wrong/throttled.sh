# expect: bulk-sidecar
# The method is right, and one service is let through drop by drop. A few segments are soon gone.
for port in 443 7000; do
    on balancer ipvsadm -e -t 10.0.0.2:$port -r 10.0.0.6 -g
done
on balancer tc qdisc add dev balancer-eth0 root handle 1: prio
on balancer tc qdisc add dev balancer-eth0 parent 1:3 handle 30: tbf rate 1mbit burst 15000 limit 1000000
on balancer tc filter add dev balancer-eth0 parent 1: protocol ip u32 match ip dport 443 0xffff flowid 1:3
