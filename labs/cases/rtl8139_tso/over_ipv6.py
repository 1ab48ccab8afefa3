"""What becomes of the same download over IPv6? 8139cp asks for TSO with IPv4 only (NETIF_F_TSO without NETIF_F_TSO6,
cp_init_one() in drivers/net/ethernet/realtek/8139cp.c), so the kernel cuts, and the card has nothing to cut.

    with DualStack() as net:
        print(over_ipv6(net))
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from core.waiting import poll
from labs.cases.rtl8139_tso.judge import HELD_UP_MS, NEEDED, ROUNDS, mechanism, rate
from labs.cases.rtl8139_tso.names import CLAMPED_MSS
from labs.cases.rtl8139_tso.network import CLAMP, NGINX, Network
from labs.cases.rtl8139_tso.observed import Download, Downloads
from labs.cases.rtl8139_tso.workload import download
from labs.claims import Claim, Claims
from labs.measure.rounds import Rounds
from labs.net.sockets import sockets
from labs.net.topology import PINNED, NotReady, at_once

# Of the prefix kept for documentation (RFC 3849), with the same numbers as the IPv4 ones.
SERVERS_V6 = {"server": "2001:db8:1::2", "mended": "2001:db8:2::2", "beside": "2001:db8:3::2"}
GATEWAYS = {name: f"2001:db8:{number}::1" for number, name in enumerate(SERVERS_V6, 1)}
ADDRESSES = {
    **{name: [(f"{name}-eth0", address)] for name, address in SERVERS_V6.items()},
    "router": [("router-eth0", "2001:db8:8::1"), *((f"to-{name}", address) for name, address in GATEWAYS.items())],
    "home": [("home-eth0", "2001:db8:8::2"), ("home-eth1", "2001:db8:9::1")],
    "client": [("client-eth0", "2001:db8:9::2")],
}
ROUTES = {
    "home": "default via 2001:db8:8::1",
    "client": "default via 2001:db8:9::1",
    "router": "2001:db8:9::/64 via 2001:db8:8::2",
    **{name: f"default via {address}" for name, address in GATEWAYS.items()},
}
ADDRESSES_S = 60  # to have them; it takes one or two


@dataclass(frozen=True)
class DownloadV6(Download):
    """One fetch of the file over IPv6. The counters are still IPv4's: what the router refuses it says in an ICMPv6,
    which is among the packets."""

    addresses: ClassVar[Mapping[str, str]] = SERVERS_V6
    headers_bytes: ClassVar[int] = 60


class DualStack(Network):
    """The report's hosts, which also have IPv6: the same wires, web servers and clamp, and no firewall for it."""

    pinned = PINNED | {
        "net/ipv6/conf/all/disable_ipv6": "0",
        "net/ipv6/conf/all/accept_dad": "0",  # nobody else has these addresses (RFC 4862, 5.4)
        "net/ipv6/conf/default/accept_dad": "0",
        "net/ipv6/conf/default/router_solicitations": "0",
        "net/ipv6/conf/default/accept_ra": "0",
    }
    modules = (*Network.modules, "ip6table_mangle")
    nginx = NGINX.replace("listen {port};", "listen {port}; listen [::]:{port};")

    def configure(self) -> None:
        """The second family's addresses, routes and clamp, then all that the report's hosts have."""
        for node in (self.router, self.home):
            node.sysctl({"net/ipv6/conf/all/forwarding": "1"})
        at_once(
            [
                *((self[name], ("ip", "-batch", "-"), _addressing(name)) for name in ADDRESSES),
                (self.router, ("ip6tables-legacy-restore",), CLAMP.format(mss=CLAMPED_MSS)),
            ]
        )
        super().configure()
        # The cards were there before `pinned` was written. A host whose own address on a link is still being tried
        # cannot ask for its neighbour's, and asks again after a second.
        hosts = [self.router, *(self[name] for name in SERVERS_V6)]
        tried = poll(lambda: not any(host.on("ip -6 -o address show tentative") for host in hosts), ADDRESSES_S)
        if not tried:
            raise NotReady(f"expected addresses that are in use within {ADDRESSES_S} s, found some still being tried")

    def _connection_states(self, name: str) -> set[str]:
        """States of the connections to a server's port, over either IP."""
        return self._states(sockets(self[name].pid, "tcp", "tcp6"))


@dataclass(frozen=True)
class BothWays(Claims):
    """The same file over IPv4 and over IPv6, by turns."""

    ipv4: Rounds[Download]
    ipv6: Rounds[Download]

    @property
    def claims(self) -> list[Claim]:
        """Over IPv4 the fault is there; over IPv6 the card sends what it was handed, and all of it fits."""
        if self.missing:
            return []
        return [*self.ipv4.in_each(mechanism), *self.ipv6.in_each(kernel_cut)]

    @property
    def missing(self) -> str:
        return "; ".join(filter(None, (self.ipv4.missing, self.ipv6.missing)))

    @property
    def table(self) -> Downloads:
        """The download of each kind that has the median rate."""
        return Downloads([self.ipv4.typical(rate), self.ipv6.typical(rate)], "KB/s", "MSS", "largest", "above", "ICMPs")

    def text(self) -> str:
        return self.table.text()

    __repr__ = text

    def to_json(self) -> dict:
        """Plain values of those in the table, and how many packets the card was `handed` for their segments."""
        keys = ("ipv4", "ipv6")
        return {key: seen.to_json() | {"handed": seen.handed} for key, seen in zip(keys, self.table)}


def kernel_cut(seen: Download) -> list[Claim]:
    """What must be so where the kernel cuts, by the packets: the router's counters are IPv4's."""
    return [
        Claim(
            seen.above_mss == 0 and not seen.frag_needed and not seen.sent_again and bool(seen.data),
            f"{seen.called}: the largest segment has {seen.largest_bytes} bytes; {len(seen.frag_needed)} are refused, "
            f"{seen.sent_again} sent again",
        ),
        Claim(
            seen.handed >= len(seen.data),
            f"{seen.called}: the card is handed {seen.handed} packets and sends {len(seen.data)} segments",
        ),
    ]


def _addressing(name: str) -> str:
    """Input of `ip -batch` on a host."""
    held = [f"address add {address}/64 dev {interface} nodad" for interface, address in ADDRESSES[name]]
    return "\n".join([*held, f"route add {ROUTES[name]}"])


def over_ipv6(net: DualStack) -> BothWays:
    """Rounds of both, by turns."""
    seen: dict[type[Download], list[Download]] = {Download: [], DownloadV6: []}
    for _ in range(ROUNDS):
        for kind, called in ((Download, "IPv4"), (DownloadV6, "IPv6")):
            net.route("server")
            seen[kind].append(download(net, called=called, kind=kind))
    return BothWays(*(Rounds(each, HELD_UP_MS, NEEDED) for each in seen.values()))
