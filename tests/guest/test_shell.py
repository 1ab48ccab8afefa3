"""Does the prompt on a case's network show the fault and its absence, and does it stand what a reader does there?"""

import re

import pytest
from test_topology import left_behind  # pytest puts this folder on the path

from labs import shell
from labs.cases.splice_push.regression import REGRESSION
from labs.trace import module

PARTS = "frag-needed splice-push machinery"


def test_of_two_connections_the_second_waits_for_a_timer_with_the_fault(with_fault_and_without):
    """Its host refuses its segment, and no acknowledgment can come: see the chapter."""
    broken, healthy = with_fault_and_without("frag-needed")
    assert re.search(r"^IpFragFails +[1-9]", broken, re.MULTILINE), broken
    assert re.search(r"^IpFragFails +0 ", healthy, re.MULTILINE), healthy
    first, second = re.findall(r"^([\d.]+) s\s*$", broken, re.MULTILINE)
    assert float(second) >= 0.2, broken  # TCP_RTO_MIN, include/net/tcp.h
    assert re.search(r"expires \d+sec mtu 1480", broken) and not re.search(r"expires", healthy)


def test_a_transcript_is_what_a_terminal_shows():
    shown = shell.transcript("frag-needed", ("client echo one two", "on client echo three", "nonsense"))
    assert shown.splitlines()[1:] == [
        "mininet> client echo one two",
        "one two",
        "mininet> on client echo three",
        "three",
        "mininet> nonsense",
        "*** Unknown command: nonsense",
        "    A command on a host begins with its name: client nonsense",
    ], shown
    assert shown.startswith("client, balancer, server: without the fault")


def test_the_end_of_an_answer_is_missing_with_the_fault(with_fault_and_without):
    broken, healthy = with_fault_and_without("splice-push")
    assert re.search(r"^(?!20000\b)\d+ bytes in", broken, re.MULTILINE), broken
    assert re.findall(r"^(\d+) bytes in", healthy, re.MULTILINE) == ["20000"] * 2, healthy


def test_a_livepatch_that_is_in_already_is_not_touched(at_prompt):
    with module.livepatched(REGRESSION) as held:
        said, wrong = at_prompt("splice-push", "fault_on", "proxy echo goes on")
        assert f"*** {held.name} is in the kernel already" in wrong and "Next: ./lab reset" in wrong
        assert "neither fault_on nor fault_off" in wrong and "goes on" in said
        assert module.loaded() == [held.name]


def test_what_a_reader_changes_is_said_and_the_prompt_goes_on(at_prompt):
    said, wrong = at_prompt(
        "frag-needed",
        "client ip route del 10.0.0.2",
        "fault_on",
        "fault_off",
        "fault_on",
        "client ip address flush dev client-eth0",
        "fault_on",
        "client echo goes on",
    )
    assert "Invalid prefsrc" in wrong or "Invalid argument" in wrong
    assert said.count("second to ask has to wait") == 2 and said.count("beforehand") == 1
    assert wrong.count("***") == 2 and "neither fault_on nor fault_off" in wrong and "goes on" in said


@pytest.mark.parametrize("line", ["client ip route del 10.0.0.2", "py net.stop()"])
def test_a_change_before_leaving_is_no_error(line, at_prompt):
    before = left_behind()
    said, wrong = at_prompt("frag-needed", "# a comment", line, "exit", "balancer echo never read")
    assert not wrong and "never read" not in said
    assert left_behind() == before
