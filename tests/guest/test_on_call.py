"""Does each look tell the fault from health and from its look-alike, and is one that does not found out?"""

import contextlib
import json
from dataclasses import replace
from functools import partial

import pytest

from labs import looks, on_call
from labs.cases.addr_select import on_call as addr_select
from labs.cases.addr_select.names import EVAL
from labs.cases.addr_select.workload import calls_of, counting
from labs.cases.frag_needed import on_call as frag_needed
from labs.cases.splice_push import on_call as splice_push
from labs.cases.splice_push.regression import REGRESSION
from labs.looks import Look, LookResults
from labs.net.counters import counters, moved
from labs.net.topology import Topo, Topology

PARTS = "frag-needed splice-push addr-select machinery"
CASES = {
    "frag-needed": frag_needed.taken,
    "splice-push": partial(splice_push.taken, REGRESSION),
    "addr-select": addr_select.taken,
}


class Host(Topo):
    """A single one."""

    def build(self):
        self.addLink(self.addHost("single", ip="10.0.0.1/24"), self.addSwitch("lan", dpid="1"))


class One(Topology):
    topo = Host


@contextlib.contextmanager
def state(word: str):
    """A host whose folder says how it is."""
    with One() as net:
        (net.folder / "state").write_text(f"first\nit is {word}\n")
        yield net, lambda: (net.folder / "asked").write_text("again")


def looked(*looks: Look) -> LookResults:
    """Looks at a broken host, at a healthy one, and at one that only looks broken."""
    return on_call.taken(looks, partial(state, "broken"), partial(state, "healthy"), partial(state, "slow"))


GOOD = Look("good", "single", "cat state", "broken$")
ALIKE = replace(GOOD, alike="slow$", cause="a slow one")


@pytest.mark.parametrize("name", CASES)
def test_every_look_of_a_case_tells_the_fault_from_health_and_from_its_look_alike(name):
    taken = CASES[name]()
    assert taken.reproduced, f"{taken.claims}\n{taken}\n{taken.healthy}\n{taken.alike}"
    for wrong in ({"broken": taken.healthy}, {"alike": taken.broken}, {"alike": taken.healthy}):
        assert not replace(taken, **wrong).reproduced
    read = json.loads(json.dumps(taken.to_json()))
    for look in read.values():
        assert look["telling"] or not look["expect"]
        assert 0 < len(look["lines"]) <= looks.SHOWN_LINES
        assert set(look["lines"]) <= {line.rstrip() for line in taken.broken[look["id"]].splitlines()}
    there = [look["look_alike"] for look in read.values() if look["look_alike"]]
    assert len(there) == 2 and all(one["telling"] and len(one["lines"]) <= looks.SHOWN_LINES for one in there)


def test_a_lost_segment_makes_one_wait_like_a_refused_one_and_other_counters_move():
    with frag_needed.losing() as (net, again):
        before = counters(net.client)
        waited_ms = again()
        added = moved(before, counters(net.client))
    assert len(waited_ms) == frag_needed.QUESTIONS and min(waited_ms) >= 200
    assert added["TcpRetransSegs"] == len(waited_ms)
    assert added.get("TcpExtTCPLossProbes", 0) + added.get("TcpExtTCPTimeouts", 0) == len(waited_ms)
    assert "IpFragFails" not in added and "IcmpInDestUnreachs" not in added


def test_small_writes_wait_for_a_delayed_ack_and_one_write_does_not(monkeypatch):
    apart = splice_push.waited_ms()
    assert sum(40 <= ms < 200 for ms in apart[1:]) > splice_push.REQUESTS / 2, apart
    together = replace(splice_push.SMALL, query="way=send&header=more")
    monkeypatch.setattr(splice_push, "SMALL", together)
    at_once = splice_push.waited_ms()
    assert sum(ms < 40 for ms in at_once) > splice_push.REQUESTS / 2, at_once


def test_each_of_many_devices_has_one_address_and_a_send_weighs_them_all():
    with addr_select.many_devices(20) as (net, again):
        again()
        assert len(net.node.on("ip -o link show type dummy").splitlines()) == 20
        owned = net.node.on("ip -6 -o addr").splitlines()
        assert sum("many" in line for line in owned) == 20
        with counting((EVAL,)) as calls:
            assert calls_of(net, calls)[EVAL] >= 20


def test_a_look_is_typed_in_the_look_alike_if_it_looks_for_something_there():
    taken = looked(GOOD, replace(ALIKE, id="alike"))
    assert taken.reproduced and list(taken.alike) == ["alike"]
    assert taken.to_json()["alike"]["look_alike"]["lines"] == ["first", "it is slow"]
    assert not looked(replace(ALIKE, alike="on fire")).reproduced
    with pytest.raises(ValueError, match="expected a look-alike for good, found none"):
        on_call.taken([ALIKE], partial(state, "broken"), partial(state, "healthy"))


def test_a_look_that_cannot_tell_is_worthless():
    blind, wrong = replace(GOOD, id="blind", expect="it is"), replace(GOOD, id="wrong", expect="on fire")
    found = {claim.what.split()[0]: claim for claim in looked(GOOD, blind, wrong).claims}
    assert found["good"].holds
    assert not found["blind"].holds and "where nothing is wrong, too" in found["blind"].what
    assert not found["wrong"].holds and "does not find it" in found["wrong"].what


def test_one_that_describes_says_so_and_still_has_to_match():
    alike = replace(GOOD, expect="it is", describes=True)
    assert looked(alike).reproduced and "only describes" in str(looked(alike).claims[0])
    assert not looked(replace(alike, expect="on fire")).reproduced


def test_what_is_kept_are_lines_of_the_command_and_those_that_tell():
    long = replace(GOOD, command="seq 100; cat state; seq 100")
    kept = looked(long).to_json()["good"]
    assert len(kept["lines"]) == looks.SHOWN_LINES and kept["lines"][:2] == ["1", "2"]
    assert [kept["lines"][number] for number in kept["telling"]] == ["it is broken"]
    assert looked(replace(GOOD, rows="first|is")).to_json()["good"]["control"] == ["first", "it is healthy"]


def test_the_users_go_on_as_long_as_it_runs():
    waits = replace(GOOD, command="until [ -e asked ]; do sleep 0.01; done; cat state", meanwhile=True)
    assert looked(waits).reproduced


def test_one_that_cannot_be_taken_is_no_look(monkeypatch):
    with pytest.raises(on_call.NoLook, match="no-such-command"):
        looked(replace(GOOD, command="no-such-command"))
    monkeypatch.setattr(on_call, "DEADLINE_S", 1)
    with pytest.raises(on_call.NoLook, match="to end within 1 s"):
        looked(replace(GOOD, command="exec sleep 60"))
