# expect: own-hosts
on balancer sysctl -w net.ipv4.vs.pmtu_disc=0
