# The SYN-ACK offers what the route to the client says (tcp_make_synack() asks
# dst_metric_advmss(): the route's advmss, else ipv4_default_advmss()).
# With 1440 instead of 1460 no client in front of the tunnel ever builds a segment that does not fit, and
# this holds for all clients, also for those that cannot be touched. The server's own segments stay
# as large as they were: they do not go through the tunnel.
on server ip route add 10.0.0.1 dev server-eth0 advmss 1440
