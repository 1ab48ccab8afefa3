"""What are this case's hosts and ports called? Known without Mininet, by what draws and judges."""

HOSTS = ("client", "balancer", "server")
ANOTHER = "client2"  # beside them, in exercises 2 and 3
CLIENT, BALANCER, SERVER = "10.0.0.1", "10.0.0.5", "10.0.0.6"
VIP = "10.0.0.2"
BYSTANDER = "10.0.0.9"  # beside the path, in exercise 6 alone
TUNNEL_MTU = 1480  # 1500 less the outer IPv4 header that IPVS puts before each packet
TIMER_FLOOR_MS = 200  # Linux's TCP_RTO_MIN (include/net/tcp.h): no probe timer runs out earlier
TLS_PORT, ECHO_PORT, SIDECAR_PORT = 443, 7000, 15001
