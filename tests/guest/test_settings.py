"""Is each change of a host's settings seen that an answer could make, and none where there is no change?"""

import pytest

from labs.net.topology import PINNED, Topo, Topology
from labs.take.settings import compared, settings

PARTS = "machinery"
CHANGES = [
    "iptables -A INPUT -p tcp --dport 9 -j DROP",
    "iptables -P FORWARD DROP",
    "iptables -t nat -N ours",
    "ip6tables -A OUTPUT -p udp --dport 53 -j ACCEPT",
    "iptables-legacy -t mangle -A POSTROUTING -j ACCEPT",
    "ip6tables-legacy -A INPUT -j ACCEPT",
    "ebtables-nft -A INPUT -j ACCEPT",
    "ip link set near-eth0 mtu 1400",
    "ip link add dummy7 type dummy",
    "ip link set tunl0 up",
    "ip address add 10.9.9.9/32 dev lo",
    "ip -6 address add 2001:db8:9::9/128 dev lo",
    "ip route add 10.9.9.0/24 dev near-eth0",
    "ip -6 route add 2001:db8:9::/64 dev near-eth0",
    "ip route add 10.9.9.0/24 dev near-eth0 table 7",
    "ip rule add from 10.9.9.9 table 7",
    "ip -6 rule add from 2001:db8::9 table 7",
    "ip addrlabel add prefix 2001:db8:9::/64 label 77",
    "ip neigh add 10.0.0.77 lladdr 02:00:00:00:00:77 nud permanent dev near-eth0",
    "ethtool -K near-eth0 tx off",
    "tc qdisc replace dev near-eth0 root pfifo limit 7",
    "tc qdisc add dev lo clsact",
    "tc filter add dev lo egress protocol ip matchall action drop",
    "ipvsadm -A -t 10.0.0.1:80",
    "ipvsadm --set 77 0 0",
    "sysctl -w net.ipv4.tcp_sack=0",
    "sysctl -w net.ipv4.icmp_echo_ignore_all=1",
    "sysctl -w net.ipv4.conf.all.rp_filter=2",
    "sysctl -w net.ipv6.conf.near-eth0.use_oif_addrs_only=1",
    "sysctl -w net.ipv6.conf.default.accept_ra=0",
    "sysctl -w net.ipv6.bindv6only=1",
    "sysctl -w net.ipv6.flowlabel_consistency=0",
    "sysctl -w net.ipv6.neigh.near-eth0.ucast_solicit=7",
    "sysctl -w net.ipv4.ipfrag_time=7",
    "sysctl -w net.core.somaxconn=7",
    "sysctl -w net.unix.max_dgram_qlen=7",
]
# Looking, traffic, and what appears on all hosts when a module is loaded.
NO_CHANGES = [
    "iptables -t nat -L -n",
    "iptables-legacy -t mangle -S",
    "ip6tables -L -n",
    "ip6tables-legacy -L -n",
    "ipvsadm -L -n",
    "tc filter show dev near-eth0",
    "ping -c 1 -W 5 10.0.0.2",
    "modprobe ip_gre",
    "modprobe ipip",
    "modprobe nf_conntrack",
    "modprobe tcp_bbr",
]


class Two(Topo):
    def build(self):
        wire = self.addSwitch("wire", dpid="1")
        self.addLink(self.addHost("near", ip="10.0.0.1/24"), wire)
        self.addLink(self.addHost("far", ip="10.0.0.2/24"), wire)


class Pair(Topology):
    topo = Two
    modules = ("ipip", "ip_vs", "dummy")
    pinned = PINNED | {"net/ipv6/conf/all/disable_ipv6": "0"}


@pytest.fixture(scope="module")
def near():
    with Pair() as pair:
        settings(pair.near)  # loads the modules of what it looks at
        yield pair.near


def test_each_change_is_seen(near):
    before, unseen = settings(near), []
    for command in CHANGES:
        near.on(*command.split())
        after = settings(near)
        if not compared("near", before, after).change:
            unseen.append(command)
        before = after
    assert not unseen


def test_what_is_no_change_is_not_seen(near):
    before = settings(near)
    for command in NO_CHANGES:
        near.on(*command.split())
    assert compared("near", before, settings(near)).change is None
