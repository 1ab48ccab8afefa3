# expect: within-mss
# The kernel obeys its interface's MTU. The card knows only its own.
on server ip link set dev server-eth0 mtu 1420
