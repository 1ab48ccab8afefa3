"""Which of the kernel's counters moved? A host's SNMP counters, as `netstat -s` shows them."""

from pathlib import Path

from labs.net.topology import Node

# Fields of /proc/net/snmp and /proc/net/netstat (net/ipv4/proc.c), named as nstat names them.
FILES = ("snmp", "netstat")


def counters(node: Node) -> dict[str, int]:
    """All counters of a host: {"IcmpOutDestUnreachs": 1, "TcpExtTCPTimeouts": 0, …}.

    They count in the namespace, from its birth on. IcmpMsg has a counter only for types that
    occurred, so ask it with `.get(name, 0)`.
    """
    found = {}
    for name in FILES:
        lines = Path(f"/proc/{node.pid}/net/{name}").read_text().splitlines()
        for names, values in zip(lines[::2], lines[1::2]):
            group, _, names = names.partition(":")
            for field, value in zip(names.split(), values.split()[1:]):
                found[group + field] = int(value)
    return found


def moved(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """What was added between two readings, counters that stood still left out."""
    names = dict.fromkeys([*before, *after])
    added = {name: after.get(name, 0) - before.get(name, 0) for name in names}
    return {name: count for name, count in added.items() if count}
