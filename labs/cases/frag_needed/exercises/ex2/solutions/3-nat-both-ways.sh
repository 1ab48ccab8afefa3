# With NAT nothing is put around a packet, only addresses are written anew. The answers have to come back through the
# balancer then, and this server sends them to whoever asked: so it is the balancer that asks. IPVS forwards with -m, and
# what leaves for the server gets the balancer's own address. (For that IPVS has to leave it to conntrack: vs.conntrack.)
on balancer sysctl -w net.ipv4.ip_forward=1 net.ipv4.vs.conntrack=1
for port in 443 7000; do
    on balancer ipvsadm -e -t 10.0.0.2:$port -r 10.0.0.6 -m
done
on balancer iptables-legacy -t nat -A POSTROUTING -d 10.0.0.6 -p tcp -j SNAT --to-source 10.0.0.5
