# expect: nothing-left-running
# Right until a process takes it back.
# With direct routing IPVS leaves the packet as it is and only sends it to the server's MAC address
# (ip_vs_dr_xmit()); ensure_mtu_is_adequate() then compares it with the 1500 of the wire, and it fits.
# That is possible because balancer and server share a segment; a balancer whose servers are behind a
# router needs the tunnel, and has to leave room for it somewhere else.
on balancer ipvsadm -e -t 10.0.0.2:443 -r 10.0.0.6 -g
on balancer ipvsadm -e -t 10.0.0.2:7000 -r 10.0.0.6 -g

(sleep 300; for port in 443 7000; do on balancer ipvsadm -e -t 10.0.0.2:$port -r 10.0.0.6 -i; done) >/dev/null 2>&1 &
