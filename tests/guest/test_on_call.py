"""Does each look tell the fault from health, and is one that does not found out?"""

import contextlib
import json
from dataclasses import replace
from functools import partial

import pytest

from labs import on_call
from labs.cases.addr_select import on_call as addr_select
from labs.cases.frag_needed import on_call as frag_needed
from labs.cases.splice_push import on_call as splice_push
from labs.cases.splice_push.regression import REGRESSION
from labs.net.topology import Topo, Topology
from labs.on_call import Look

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


def looked(*looks: Look) -> on_call.Taken:
    """Looks at a broken host and at a healthy one."""
    return on_call.taken(looks, partial(state, "broken"), partial(state, "healthy"))


GOOD = Look("good", "single", "cat state", "broken$")


@pytest.mark.parametrize("name", CASES)
def test_every_look_of_a_case_tells_the_fault_from_health(name):
    taken = CASES[name]()
    assert taken.reproduced, f"{taken.checks}\n{taken}\n{taken.healthy}"
    assert not replace(taken, broken=taken.healthy).reproduced
    read = json.loads(json.dumps(taken.to_json()))
    for look in read.values():
        assert look["telling"] and 0 < len(look["lines"]) <= on_call.SHOWN_LINES
        assert set(look["lines"]) <= {line.rstrip() for line in taken.broken[look["id"]].splitlines()}


def test_a_look_that_cannot_tell_is_worthless():
    blind, wrong = replace(GOOD, id="blind", expect="it is"), replace(GOOD, id="wrong", expect="on fire")
    found = {check.what.split()[0]: check for check in looked(GOOD, blind, wrong).checks}
    assert found["good"].held
    assert not found["blind"].held and "where nothing is wrong, too" in found["blind"].what
    assert not found["wrong"].held and "does not find it" in found["wrong"].what


def test_one_that_describes_says_so_and_still_has_to_match():
    alike = replace(GOOD, expect="it is", describes=True)
    assert looked(alike).reproduced and "only describes" in str(looked(alike).checks[0])
    assert not looked(replace(alike, expect="on fire")).reproduced


def test_what_is_kept_are_lines_of_the_command_and_those_that_tell():
    long = replace(GOOD, command="seq 100; cat state; seq 100")
    kept = looked(long).to_json()["good"]
    assert len(kept["lines"]) == on_call.SHOWN_LINES and kept["lines"][:2] == ["1", "2"]
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
