# expect: no-fragments
# Without DF nobody has to be told: the balancer cuts each packet in two.
on client sysctl -w net.ipv4.ip_no_pmtu_disc=1
