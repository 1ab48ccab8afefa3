# expect: through-sidecar
# The route is right, but TLS goes to a socat that this script starts: haproxy, the sidecar, is not in use any more.
on client ip route replace 10.0.0.2/32 dev client-eth0 mtu 1480

# a leaner one: reads and writes, and nothing else; as the same user, whose own connections the rule leaves alone
on client setpriv --reuid=haproxy --regid=haproxy --clear-groups \
    socat TCP4-LISTEN:15002,bind=127.0.0.1,fork,reuseaddr,nodelay,backlog=64 TCP4:10.0.0.2:443,nodelay >/dev/null 2>&1 &
until on client ss -Hltn "sport = :15002" | grep -q LISTEN; do sleep 0.1; done
on client iptables-legacy -t nat -R OUTPUT 1 -p tcp --dport 443 \
    -m owner ! --uid-owner haproxy -j REDIRECT --to-ports 15002
