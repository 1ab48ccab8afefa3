# expect: no-frag-needed-direct
# Right from the second large segment on. The first has to be refused before there is anything to notice.
(until on client ip route get 10.0.0.2 | grep -q expires; do sleep 0.01; done
on client ip route add 10.0.0.2 dev client-eth0 mtu 1480) >/dev/null 2>&1 &
