"""What is a host set to do with packets, and did that change?"""

from __future__ import annotations

import re

from labs.judge.evidence import Settings
from labs.net.topology import Node

MOST_LINES = 50  # of a kind: an answer may add routes without end

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


def compared(host: str, before: list[str], after: list[str]) -> Settings:
    """What has changed of a host's settings; of very many lines the first of either kind."""
    old, new = set(before), set(after)
    gone, now = ([line for line in lines if line not in others] for lines, others in ((before, new), (after, old)))
    return Settings(host, gone[:MOST_LINES], now[:MOST_LINES])
