"""Does whoever a rule names knock, too, and at the ports that it names?"""

import importlib
import ipaddress

import pytest

RULES = """\
iptables-legacy -A INPUT -s 192.168.0.0/16 -p tcp -m tcp --dport 3000 -j ACCEPT
iptables-legacy -A INPUT ! -s 10.9.8.7/32 -p udp -m multiport --dports 68,4000:4010 -j ACCEPT
iptables-legacy -A INPUT -p tcp -m tcp --sport 79 --dport 80 -j ACCEPT
iptables-legacy -t nat -A PREROUTING -p tcp -m tcp --dport 81 -j REDIRECT --to-ports 80
ip6tables-legacy -A INPUT -s fe80::/10 -j ACCEPT
"""


@pytest.fixture
def knocking(guests_packages):
    return importlib.import_module("labs.cases.rtl8139_tso.exercises.ex1.knocking")


def test_one_address_of_each_network_and_each_port_but_the_one_that_is_open(knocking):
    names = knocking.who_is_named(RULES)
    assert names.keys() == {"192.168.0.0/16", "10.9.8.7/32"}
    assert all(ipaddress.ip_address(address) in ipaddress.ip_network(network) for network, address in names.items())
    assert knocking.ports_named(RULES) == [3000, 68, 4000, 4010, 79, 81]
    assert knocking.protocols_named(RULES) == []


def test_what_is_named_in_other_ways(knocking):
    rules = """\
iptables-legacy -A INPUT -p tcp -m multiport --ports 3000,9200 -j ACCEPT
iptables-legacy -A INPUT -m iprange --src-range 203.0.113.5-203.0.113.9 -j ACCEPT
iptables-legacy -A INPUT -p 112 -j ACCEPT
"""
    assert knocking.ports_named(rules) == [3000, 9200]
    assert [*knocking.who_is_named(rules).values()] == ["203.0.113.5"]
    assert knocking.protocols_named(rules) == [112]


def test_of_very_many_some(knocking):
    many = "\n".join(f"-A INPUT -s 10.1.{each}.0/24 -p tcp --dport {2 * each + 1}" for each in range(256))
    assert len(knocking.who_is_named(many)) == knocking.MOST_NAMES
    assert len(knocking.ports_named(many)) == knocking.MOST_PORTS


def test_of_none_nobody(knocking):
    assert (knocking.who_is_named(""), knocking.ports_named("")) == ({}, [])
