# A route's MTU is what the kernel falls back to when no exception is cached (ip_dst_mtu_maybe_forward()
# reads RTAX_MTU right after rt_pmtu). Every connection to the VIP starts with segments that still
# fit when the balancer has put its 20 bytes around them: nobody has to ask for smaller ones, so no
# exception is ever created and no connection finds its route obsolete in the middle of a call.
# Only the way to the VIP pays the 20 bytes.
on client ip route add 10.0.0.2 dev client-eth0 mtu 1480
