# expect: through-balancer
# Straight to the server's MAC address: fast, and the balancer balances nothing any more.
on client ping -c 1 10.0.0.6
mac=$(on client ip neigh show 10.0.0.6 | awk '{ print $5 }')
on client ip neigh replace 10.0.0.2 lladdr "$mac" dev client-eth0
