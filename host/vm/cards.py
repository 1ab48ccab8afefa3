"""Which network cards has a machine besides the one that leads to this host? A profile lists them, and
an answer to an exercise may choose another device for some; both are read here, and strictly: nothing
of them reaches QEMU's command line that is not one of these devices, names and numbers."""

import re
import tomllib
from dataclasses import dataclass, field, replace

# The devices that can be chosen, and for each its properties with the values that they may have.
DEVICES = {
    "rtl8139": {"tso-mtu": range(1 << 16)},  # added by vm-image/qemu/rtl8139
    "virtio-net-pci": {},
    "e1000": {},
    "pcnet": {},
    "ne2k_pci": {},
}
NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")
MAC = re.compile(r"52:54:00(:[0-9a-f]{2}){3}")  # QEMU's own range, as it hands them out


class NoCard(ValueError):
    """A description that is none of a card; the message says why."""


@dataclass(frozen=True)
class Card:
    """One card: the `wire` that it shares with others, and the `options` of its device."""

    name: str
    device: str
    mac: str
    wire: str
    options: dict = field(default_factory=dict, hash=False)

    def __post_init__(self):
        for what, text, form in (("name", self.name, NAME), ("wire", self.wire, NAME), ("mac", self.mac, MAC)):
            if not (isinstance(text, str) and form.fullmatch(text)):
                raise NoCard(f"{text!r} is no {what} of a card")
        if not (isinstance(self.device, str) and self.device in DEVICES):
            raise NoCard(f"{self.device!r} is no card to choose; there are: {', '.join(DEVICES)}")
        known = DEVICES[self.device]
        if not isinstance(self.options, dict):
            raise NoCard("options is no table; an empty one: {}")
        for key, value in self.options.items():
            if key not in known:
                raise NoCard(f"{self.device} has no option {key!r} here; it has: {', '.join(known) or 'none'}")
            if type(value) is not int or value not in known[key]:
                raise NoCard(f"{key} goes from {known[key][0]} to {known[key][-1]}; found {value!r}")

    @property
    def port(self) -> str:
        """QEMU's name for the end of the wire that this card is on."""
        return f"wire-{self.name}"

    def properties(self) -> dict:
        """What QEMU is told of the device. No option ROM: nothing boots from it."""
        return {
            "driver": self.device,
            "id": self.name,
            "netdev": self.port,
            "mac": self.mac,
            "romfile": "",
            **self.options,
        }


def arguments(cards: tuple[Card, ...]) -> list[str]:
    """QEMU's options for these cards. Those of one wire are ports of one hub."""
    wires = list(dict.fromkeys(card.wire for card in cards))
    words = []
    for card in cards:
        words += [
            "-netdev",
            f"hubport,id={card.port},hubid={wires.index(card.wire)}",
            "-device",
            ",".join(f"{key}={value}" for key, value in card.properties().items()),
        ]
    return words


def kernel_arguments(cards: tuple[Card, ...]) -> list[str]:
    """How the guest learns which card is which. The dot makes it a parameter of a module that is not
    there, which the kernel leaves alone."""
    return [f"lab.card.{card.name}={card.mac}" for card in cards]


def chosen(cards: tuple[Card, ...], answer: str, may_change: tuple[str, ...]) -> tuple[Card, ...]:
    """The cards that a reader's TOML makes others than they were; raises NoCard if it is not right."""
    try:
        read = tomllib.loads(answer)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise NoCard(f"it is no TOML: {error}") from error
    if set(read) != {"cards"} or not isinstance(read["cards"], list):
        raise NoCard(f"expected [[cards]] and nothing beside it; found: {', '.join(read) or 'nothing'}")
    by_name = {card.name: card for card in cards}
    for entry in read["cards"]:
        if not isinstance(entry, dict) or not {"name", "device"} <= set(entry) <= {"name", "device", "options"}:
            raise NoCard(f"a card here has name, device and, if need be, options; found: {_keys(entry)}")
        if entry["name"] not in may_change:
            raise NoCard(f"{entry['name']!r} is no card to change here; there are: {', '.join(may_change)}")
        old = by_name[entry["name"]]
        by_name[old.name] = replace(old, device=entry["device"], options=entry.get("options", {}))
    return tuple(card for card in by_name.values() if card not in cards)


def _keys(entry) -> str:
    return ", ".join(entry) if isinstance(entry, dict) else repr(entry)
