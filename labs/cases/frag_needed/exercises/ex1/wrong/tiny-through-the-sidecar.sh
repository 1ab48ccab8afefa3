# expect: full-segments
# The offers of two services, clamped to two sizes: what the sidecar sends is cut into the smallest that there are.
clamp="iptables-legacy -t mangle -A INPUT -p tcp -s 10.0.0.2 --tcp-flags SYN,RST SYN -j TCPMSS --set-mss"
on client $clamp 1440
on client $clamp 536 --sport 443
