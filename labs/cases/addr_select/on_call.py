"""What does a person on call see of a node that sends slowly? The looks of looks.toml, a control, and a
look-alike."""

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from labs import looks, on_call
from labs.cases.addr_select.names import REPORTED, service
from labs.cases.addr_select.network import Network, Silent
from labs.cases.addr_select.workload import Sender
from labs.net.node import CommandFailed

LOOKS = Path(__file__).with_name("looks.toml")
DEVICES, GROUP = 2000, "7"  # the group is how all are taken away at once


@contextlib.contextmanager
def scene(only_outgoing: bool, addresses: int = REPORTED) -> Iterator[tuple[Network, Callable[[], object]]]:
    """The node has the report's number of addresses; each call of what is given sends one datagram."""
    with Silent() as net, Sender(net) as sender:
        net.announce(addresses)
        net.only_outgoing(only_outgoing)

        def again() -> None:
            sender.send()
            sender.seen_source()

        yield net, again


@contextlib.contextmanager
def many_devices(count: int = DEVICES) -> Iterator[tuple[Network, Callable[[], object]]]:
    """The look-alike: the walk is as long because of devices, each with one address; as in `scene` for the rest.

    Their namespace would take them away, too, but some time later, and meanwhile nobody can make another (RTNL)."""
    with scene(False, addresses=1) as (net, again):
        net.node.on("modprobe", "dummy", "numdummies=0")  # else it makes a device in the guest's own namespace
        net.node.sysctl({"net/ipv6/conf/default/addr_gen_mode": "1"})  # none, so no link-local address beside it
        try:
            net.node.on("ip", "-batch", "-", stdin=devices(count))
            yield net, again
        finally:
            with contextlib.suppress(CommandFailed):  # where none was made
                net.node.on("ip", "link", "delete", "group", GROUP, "type", "dummy")


def devices(count: int) -> str:
    """Input of `ip -batch`: so many devices, and a service address on each; the first is on lo already."""
    return "".join(
        f"link add many{number} group {GROUP} up type dummy\n"
        f"address add {service(1 + number)}/128 dev many{number} nodad noprefixroute\n"
        for number in range(1, count + 1)
    )


def taken() -> looks.LookResults:
    """Every look, without the setting that helps and with it, and with many devices."""
    return on_call.taken(looks.read(LOOKS), partial(scene, False), partial(scene, True), many_devices)
