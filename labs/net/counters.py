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
    found: dict[str, int] = {}
    for name in FILES:
        lines = Path(f"/proc/{node.pid}/net/{name}").read_text().splitlines()
        for names, values in zip(lines[::2], lines[1::2]):
            group, _, names = names.partition(":")
            found.update(zip([group + field for field in names.split()], map(int, values.split()[1:])))
    return found


def moved(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """What was added between two readings, counters that stood still left out."""
    return {name: added for name in before | after if (added := after.get(name, 0) - before.get(name, 0))}
