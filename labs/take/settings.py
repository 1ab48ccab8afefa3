"""What is a host set to do with packets, and did that change?"""

from __future__ import annotations

import re

from labs.net.topology import Node

# Commands whose output holds still while packets pass.
SETTINGS = (
    ("ip", "-oneline", "link"),
    ("ip", "-oneline", "address"),
    ("ip", "route", "show", "table", "all"),
    ("ip", "rule"),
    ("ip", "-6", "rule"),
    ("ip", "addrlabel"),
    ("iptables-legacy-save",),
    ("iptables-nft-save",),
    ("ipvsadm", "-S", "-n"),
    ("tc", "qdisc"),
)
# And these files of /proc/sys/net, read by grep: sysctl -a looks at a thousand names to find them.
KERNEL_PARAMETERS = "ipv4/conf ipv4/route ipv4/tcp_* ipv4/ip_* ipv4/vs ipv6/conf ipv6/route ipv6/ip_nonlocal_bind"
PARAMETER = re.compile(r"/proc/sys/(\S+?):(.*)")


def settings(node: Node) -> list[str]:
    """A host's settings as lines, to be compared before and after an answer."""
    script = "; ".join(" ".join(f"'{word}'" for word in command) for command in SETTINGS)
    files = " ".join(f"/proc/sys/net/{files}" for files in KERNEL_PARAMETERS.split())
    output = node.on("sh", "-c", f"({script}; grep -rs '' {files}) 2>/dev/null; true")
    # Counters and the time of saving move by themselves.
    return [
        PARAMETER.sub(r"\1 = \2", re.sub(r"\[\d+:\d+\]", "", line)) for line in output.splitlines() if line[:1] != "#"
    ]


def first_change(before: list[str], after: list[str]) -> str | None:
    """The first setting that differs, for a person; None if all are as they were."""
    old, new = set(before), set(after)
    for line in after:
        if line not in old:
            return f"now {line.strip()!r}"
    for line in before:
        if line not in new:
            return f"gone: {line.strip()!r}"
    return None
