# expect: no-stall-direct-b
# Nothing is sent into tunl0 on the server; it is only where packets come out.
on server ip link set dev tunl0 mtu 1440
