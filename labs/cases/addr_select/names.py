"""What are this case's hosts, addresses and kernel functions? Known without Mininet, by what draws and judges."""

HOSTS = ("node", "router", "peer")
PEER, PEER_V4 = "2001:db8:2::2", "10.2.0.2"
NODE, NODE_V4 = "2001:db8:1::2", "10.1.0.2"
ROUTER, ROUTER_V4 = "2001:db8:1::1", "10.1.0.1"
UPLINK = "node-eth0"
REPORTED = 512  # addresses, the report's number
EVAL, LABEL, SELECT = "ipv6_get_saddr_eval", "ipv6_addr_label", "ipv6_dev_get_saddr"


def service(number: int) -> str:
    """The node's service address of that number, from 1 on: 2001:db8:5::1f4."""
    return f"2001:db8:5::{number:x}"


def service_v4(number: int) -> str:
    """The IPv4 address of a service, from 1 on: 10.5.1.244."""
    return f"10.5.{number >> 8}.{number & 255}"
