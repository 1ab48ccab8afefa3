# expect: through-balancer
# IPVS keeps its table, and gets nothing to do: a program takes each connection first, and opens another to 10.0.0.6.
# That is fast, and balanced by the program.
for port in 443 7000; do
    on balancer socat TCP4-LISTEN:1$port,fork,reuseaddr,nodelay TCP4:10.0.0.6:$port,nodelay >/dev/null 2>&1 &
    on balancer iptables-legacy -t nat -A PREROUTING -d 10.0.0.2 -p tcp --dport $port -j REDIRECT --to-ports 1$port
done
for port in 443 7000; do
    until on balancer ss -Hltn "sport = :1$port" | grep -q LISTEN; do sleep 0.1; done
done
