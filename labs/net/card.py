"""How does a network card of the guest itself get into a host's namespace, and back?

A card is known by its MAC address: what the kernel calls it (eth1, eth2) depends on the order in
which drivers found their devices. A namespace that ends gives its cards back by itself
(default_device_exit_net() in net/core/dev.c), some time later and under the name they had there.
"""

import contextlib
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from core.waiting import poll
from labs.errors import CannotTry
from labs.net.node import CommandFailed, Node

COMMAND_LINE = Path("/proc/cmdline")
LINKS = Path("/sys/class/net")
HOME = "1"  # process 1 is in the guest's own namespace
COMES_HOME_S = 10  # a namespace is cleared by a kernel worker, after its last process has ended


def mac(name: str) -> str:
    """The MAC address of a card of the machine's profile, which the kernel's command line has. Raises
    CannotTry on a machine without it."""
    found = re.search(rf"\blab\.card\.{re.escape(name)}=(\S+)", COMMAND_LINE.read_text())
    if not found:
        raise CannotTry(f"this machine has no card {name!r}; the chapter's has", "./lab up rtl8139")
    return found[1]


@dataclass(frozen=True)
class Card:
    """A card of the guest, and the host that gets it as `interface`.

    `driver` is the one expected, or "" for any; `offloads` are pairs for `ethtool -K`. All else is as the
    driver has it at first: a card would keep what the last host set.
    """

    node: str
    interface: str
    mac: str
    addresses: tuple[str, ...]
    driver: str
    offloads: tuple[str, ...] = ()
    mtu: int = 1500

    def attach(self, node: Node) -> None:
        """Moves the card into the host's namespace, down and without addresses."""
        self._renew(self.find())
        name = self.find()
        _ip("link", "set", name, "netns", str(node.pid), "name", self.interface)
        node.on("ip", "link", "set", self.interface, "mtu", str(self.mtu))
        if self.offloads:
            node.on("ethtool", "-K", self.interface, *self.offloads)

    def give_back(self, node: Node) -> None:
        """Moves the card back, if the host has it. Silent: it may be called when things have failed."""
        with contextlib.suppress(OSError, CommandFailed):
            card = next(
                (link["ifname"] for link in json.loads(node.on("ip -json link")) if link["address"] == self.mac), None
            )
            if card:
                node.on("ip", "link", "set", card, "down")
                node.on("ip", "link", "set", card, "netns", HOME, "name", "eth%d")

    def _renew(self, name: str) -> None:
        """Has the driver let the card go and take it again: MTU, offloads and limits are new then."""
        device = (LINKS / name / "device").resolve()
        if (device / "driver").exists():
            driver = (device / "driver").resolve()
            (driver / "unbind").write_text(device.name)
            (driver / "bind").write_text(device.name)

    def find(self) -> str:
        """The card's name in the guest's own namespace, once it is there. Raises CannotTry."""
        name = poll(self._name_at_home, COMES_HOME_S, 0.05)
        if name is None:
            raise CannotTry(
                f"expected a network card with the address {self.mac} in this guest, found "
                "none: it is another machine, or another topology has the card",
                "./lab reset",
            )
        return name

    def _name_at_home(self) -> str | None:
        for link in LINKS.iterdir():
            with contextlib.suppress(OSError):
                if (link / "address").read_text().strip() == self.mac:
                    return self._driven(link)
        return None

    def _driven(self, link: Path) -> str:
        """The link's name, if the driver is the one expected."""
        driver = (link / "device/driver").resolve().name
        if self.driver and driver != self.driver:
            raise CannotTry(f"expected the driver {self.driver} for the card {self.mac}, found {driver}", "./lab reset")
        return link.name


def _ip(*words: str) -> None:
    """`ip` in the guest's own namespace."""
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode:
        raise CommandFailed(f"`ip {' '.join(words)}` ended with status {done.returncode}: {done.stderr.strip()}")
