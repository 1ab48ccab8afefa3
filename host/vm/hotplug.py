"""How does a running guest get another card in place of one of its own? QEMU asks the guest to let the
old one go, as ACPI's hotplug does, and puts the new one on the same wire with the same address: a
second, where a boot with another card would take most of a minute under emulation."""

import shlex
import time

from qemu.qmp.legacy import QEMUMonitorProtocol

from host.vm.cards import Card
from host.vm.machine import Guest, GuestDied, GuestSilent

DEADLINE_S = 30
OVERDUE = 124  # timeout(1)'s status
NETWORK_CARD = "0x020000"  # the class that PCI gives to an Ethernet controller


def swap(monitor: QEMUMonitorProtocol, card: Card) -> None:
    """Take the card of that name out of a running guest and put this one in."""
    monitor.cmd("device_del", id=card.name)
    deadline = time.monotonic() + DEADLINE_S
    while True:
        left_s = deadline - time.monotonic()
        event = monitor.pull_event(wait=left_s) if left_s > 0 else None
        if event is None:
            raise GuestSilent(f"the guest does not let its card {card.name} go", "./lab doctor")
        if event["event"] == "DEVICE_DELETED" and event["data"].get("device") == card.name:
            break
    monitor.cmd("device_add", **card.properties())


def wait_until_seen(guest: Guest, total: int, swapped: tuple[Card, ...]) -> None:
    """Wait until the guest has found its `total` network cards. It has the driver of virtio only, and
    so shows only such a card's address."""
    addresses = [card.mac for card in swapped if card.device == "virtio-net-pci"]
    seen = " && ".join(
        [
            f"[ $(cat /sys/bus/pci/devices/*/class | grep -c {NETWORK_CARD}) = {total} ]",
            *[f"grep -qx {shlex.quote(address)} /sys/class/net/*/address" for address in addresses],
        ]
    )
    result = guest.connection.run(["timeout", str(DEADLINE_S), "sh", "-c", f"until {seen}; do sleep 0.05; done"])
    if result.returncode != 0:
        died = GuestSilent if result.returncode == OVERDUE else GuestDied
        raise died("the guest did not find the card that was put into it", "./lab doctor")
