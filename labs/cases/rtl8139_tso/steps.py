"""What did the author do, in which order, and what does each step show here?

Each function takes a network and gives a table of downloads; what it changes, it takes back.
"""

from labs.cases.rtl8139_tso.network import Network
from labs.cases.rtl8139_tso.observed import Downloads
from labs.cases.rtl8139_tso.remedies import under
from labs.cases.rtl8139_tso.retransmissions import SentAgain
from labs.cases.rtl8139_tso.workload import download


def slow(net: Network) -> Downloads:
    """1. The same file from the server and from the one beside it."""
    return Downloads([download(net, server, called=server) for server in ("server", "beside")], "KB/s")


def where(net: Network) -> Downloads:
    """2. On the client, on its first router, and on the router before the narrow link."""
    net.route("server")
    return Downloads(
        [download(net, at=at, called=f"on the {at}") for at in ("client", "home", "router")], "KB/s", "dropped"
    )


def asked(net: Network) -> Downloads:
    """3. What the router asks for, again and again, and what the server hears of it."""
    return _compared(net, ("as_it_is",), "KB/s", "dropped", "ICMPs", "heard")


def opened(net: Network) -> Downloads:
    """4. The same with a firewall that lets type 3 in."""
    return _compared(net, ("as_it_is", "opened"), "KB/s", "dropped", "ICMPs", "heard")


def agreed(net: Network) -> Downloads:
    """5. The MSS of the handshake, and the sizes of what follows."""
    return _compared(net, ("opened",), "MSS", "largest", "above", "dropped")


def unlocked(net: Network) -> Downloads:
    """6. A route with the MTU, which is a hint."""
    return _compared(net, ("opened", "mtu"), "KB/s", "largest", "above", "dropped")


def locked(net: Network) -> Downloads:
    """7. A route with a locked MTU: of what size does not matter."""
    return _compared(
        net,
        ("mtu", "mtu_lock", "mtu_lock_1500", "no_pmtu_disc"),
        "KB/s",
        "largest",
        "above",
        "no DF",
        "dropped",
        "cut",
        "pieces",
    )


def other_card(net: Network) -> Downloads:
    """8. The same software on another card."""
    return _compared(net, ("as_it_is", "beside"), "KB/s", "largest", "above", "dropped")


def the_card(net: Network) -> Downloads:
    """9. The card with nothing to cut, and the card as QEMU fixed it."""
    return _compared(net, ("as_it_is", "tso_off", "mended"), "KB/s", "largest", "above", "dropped", "again")


def sent_again(net: Network) -> SentAgain:
    """What the server sends again, how large, and whether it gets through."""
    return SentAgain(under(net, "opened"))


def _compared(net: Network, keys: tuple[str, ...], *columns: str) -> Downloads:
    return Downloads([under(net, key) for key in keys], *columns)
