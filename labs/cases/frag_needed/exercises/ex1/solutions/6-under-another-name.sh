# As solution 2, and the interface gets another name, as some distributions and container runtimes give it: what counts is
# the wire, and not what it is called.
on client ip link set client-eth0 down
on client ip link set client-eth0 name uplink
on client ip link set uplink mtu 1480 up
