# expect: through-sidecar
on client ip route add 10.0.0.2 dev client-eth0 mtu 1480
on client iptables-legacy -t nat -F OUTPUT
