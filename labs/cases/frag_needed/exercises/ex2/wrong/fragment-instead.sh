# expect: no-fragments
# ensure_mtu_is_adequate() then lets everything pass, and the tunnel's packets are cut in two.
on balancer sysctl -w net.ipv4.vs.pmtu_disc=0
