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


def test_of_too_many_nothing_is_told(knocking):
    many = "\n".join(f"-A INPUT -s 10.1.{each}.0/24 -p tcp --sport {each + 200} --dport 7" for each in range(256))
    for named, what in ((knocking.who_is_named, "networks"), (knocking.source_ports_named, "ports of senders")):
        with pytest.raises(knocking.CouldNotTell, match=f"name 256 {what}") as untold:
            named(many)
        assert untold.value.by_the_answer


def test_who_is_there_already_and_who_can_send_nothing_are_no_names(knocking):
    rules = "\n".join(f"-A INPUT -s {each} -j ACCEPT" for each in ("10.8.1.1/32", "127.0.0.0/8", "224.0.0.0/4"))
    assert knocking.who_is_named(rules) == {}


def test_ports_of_senders_are_those_that_a_rule_names_as_such(knocking):
    rules = """\
-A INPUT -p tcp -m tcp --sport 20 --dport 1024:65535 -j ACCEPT
-A INPUT -p udp -m multiport --ports 500,4500 -j ACCEPT
"""
    assert knocking.source_ports_named(rules) == [20, 500, 4500]
    sent = list(knocking.packets(["198.51.100.7"], [7], "", [(20, 1024), (500, 7)]))
    ends = {(packet[9], *(int.from_bytes(packet[at : at + 2], "big") for at in (20, 22))) for packet in sent}
    assert {(6, 20, 1024), (17, 20, 1024), (6, 500, 7), (17, 500, 7)} <= ends
    assert [packet[16:20] for packet in sent if packet[19] == 255] == [bytes([10, 8, 1, 255])]


def test_a_type_that_a_rule_names_is_sent_and_what_is_for_all_at_the_ports_that_are_named(knocking):
    rules = """\
-A INPUT -p icmp -m icmp --icmp-type 3/4 -j ACCEPT
-A INPUT -p icmp -m icmp --icmp-type 8 -j ACCEPT
-A INPUT -p icmp -m icmp --icmp-type 30 -j ACCEPT
-A INPUT -p icmp -m icmp --icmp-type 12/2 -j ACCEPT
-A INPUT -d 10.8.1.255/32 -p udp -m multiport --dports 137,138 -j ACCEPT
"""
    assert knocking.types_named(rules) == [(12, 2), (30, 0)]
    sent = list(knocking.packets(["198.51.100.7"], [7], rules, []))
    kinds = [tuple(packet[20:22]) for packet in sent if packet[9] == 1]
    assert {(12, 2), (30, 0), (11, 1), (3, 1)} <= {*kinds} and len({*kinds}) == len(kinds)
    assert not {(3, 4), (8, 0)} & {*kinds}
    for_all = [int.from_bytes(packet[22:24], "big") for packet in sent if packet[16:20] == bytes([10, 8, 1, 255])]
    assert for_all == [137, 138, 7]


def test_of_none_nobody(knocking):
    assert (knocking.who_is_named(""), knocking.ports_named("")) == ({}, [])
