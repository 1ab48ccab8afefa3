"""What is a host set to do with packets, and did that change?"""

import re
from shlex import quote

from core.judge.evidence import Settings
from labs.net.topology import Node

MOST_LINES = 50  # of a kind: an answer may add routes without end

# Commands of `ip` whose output holds still while packets pass. One process says them all, because to start one takes a
# tenth of a second under emulation.
OF_IP = (
    "link",
    "address",
    "route show table all",  # of IPv4 and IPv6
    "rule",
    "addrlabel",
    "neigh show nud permanent",
    "neigh show proxy",
    "xfrm policy",
)
# Other programs, each with the file that is there if it has something to say. What they print gets their names, because
# the same rule may stand in two tables; what `ethtool -k '*'` prints gets the device's, which it names once.
LEGACY, NFT, IPVS = "/proc/net/{}_tables_names", "/sys/module/nf_tables", "/proc/net/ip_vs"
PROGRAMS = {
    "iptables-legacy-save": LEGACY.format("ip"),
    "ip6tables-legacy-save": LEGACY.format("ip6"),
    **{f"{family}-nft-save": NFT for family in ("iptables", "ip6tables", "arptables", "ebtables")},
    "ipvsadm -S -n": IPVS,
    "ipvsadm -L --timeout": IPVS,
    "ethtool -k *": "/proc/net",
}
SCRIPT = r"""
ip -oneline -force -batch - <<'END'
{of_ip}
END
ip -6 rule
{{
    echo qdisc
    for hook in '' ingress egress; do sed -n "s/^ *\([^ :]*\):.*/filter show dev \1 $hook/p" /proc/net/dev; done
}} | tc -force -batch -
{programs}
echo "== "
grep -rs '' {folders}
true
"""
# And all that can be read in these folders of /proc/sys/net, by grep: sysctl -a takes longer. What the kernel would set
# there by itself it takes from a router's advertisement (mtu, hop_limit, neigh/*/base_reachable_time), and nobody sends
# one here. Not netfilter: that is there as soon as anybody, on any host, follows connections, and counts them.
KERNEL_PARAMETERS = "core ipv4 ipv6 unix"
PARAMETERS = "/proc/sys/"
COUNTER = re.compile(r"\[\d+:\d+\]")
# What is there as soon as somebody, on any host, has looked at a table or loaded a tunnel's module: comments with the
# time, tables without a rule, and a device that is down (net/ipv4/ip_tunnel.c, ip_tunnel_init_net(), and its like).
FALLBACK = "tunl0 gre0 gretap0 erspan0 ip_vti0 sit0 ip6tnl0 ip6gre0 ip6_vti0".split()
IS_FALLBACK = f"({'|'.join(FALLBACK)})"
NO_CHANGE = re.compile(
    r" *|#.*|\*\w+|COMMIT|:[A-Z]+ ACCEPT *"
    rf"|\d+: {IS_FALLBACK}@NONE: <(?!.*\bUP\b).*|qdisc noop .* dev {IS_FALLBACK} .*|net/ipv./\w+/{IS_FALLBACK}/.*"
    # The kernel's, in every namespace, or there once a module is loaded.
    r"|net/ipv4/tcp_((available|allowed)_congestion_control|available_ulp) = .*"
    r"|net/ipv4/vs/lblcr?_expiration = 86400"
)
RULE = re.compile(r"(ip6?|arp|eb)tables-(legacy|nft) ")  # begins a line of a firewall


def settings(node: Node) -> list[str]:
    """A host's settings as lines, to be compared before and after an answer."""
    script = SCRIPT.format(
        of_ip="\n".join(OF_IP),
        programs="\n".join(
            f"[ ! -e {file} ] || {{ echo '== {program}'; {program.replace('*', quote('*'))}; }}"
            for program, file in PROGRAMS.items()
        ),
        folders=" ".join(f"/proc/sys/net/{folder}" for folder in KERNEL_PARAMETERS.split()),
    )
    found, of = [], ""
    for line in node.on("sh", "-c", f"{{ {script} }} 2>/dev/null").splitlines():
        line = COUNTER.sub("", line)
        if line.startswith(PARAMETERS):
            line = line.removeprefix(PARAMETERS).replace(":", " = ", 1)
        if line.startswith("== "):
            of = line.split(" ")[1].removesuffix("-save")
        elif line.startswith("Features for "):  # of ethtool
            of = line.removeprefix("Features for ")
        elif not NO_CHANGE.fullmatch(line) and of.rstrip(":") not in FALLBACK:
            found.append(f"{of} {line}".strip() if of else line)
    return found


def compared(host: str, before: list[str], after: list[str]) -> Settings:
    """What has changed of a host's settings; of very many lines the first of either kind."""
    old, new = set(before), set(after)
    gone, now = ([line for line in lines if line not in others] for lines, others in ((before, new), (after, old)))
    return Settings(host, gone[:MOST_LINES], now[:MOST_LINES])
