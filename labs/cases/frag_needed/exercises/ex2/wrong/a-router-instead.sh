# expect: through-balancer
# What comes for 10.0.0.2 is handed on to the server by an ordinary route: fast, in one piece, and balanced by nobody.
on balancer ipvsadm -C
on balancer sysctl -w net.ipv4.ip_forward=1 net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.balancer-eth0.send_redirects=0
on balancer ip route add 10.0.0.2 via 10.0.0.6 dev balancer-eth0 table 100
on balancer ip rule add preference 100 lookup local
on balancer ip rule delete preference 0
on balancer ip rule add preference 50 iif balancer-eth0 to 10.0.0.2 ipproto tcp lookup 100
