"""Does the prompt show the fault and its absence also on cards of the guest? In a guest of its own, because a prompt is
another process, and only one network can have them."""

import re

PROFILE = "rtl8139"
PARTS = "rtl8139-tso"


def test_at_the_prompt_the_fault_comes_and_goes(with_fault_and_without):
    """By what the router could not pass on during a download."""
    broken, healthy = with_fault_and_without("rtl8139-tso")
    assert re.search(r"^IpFragFails +[1-9]", broken, re.MULTILINE), broken
    assert re.search(r"^IpFragFails +0 ", healthy, re.MULTILINE), healthy
    for said in (broken, healthy):
        assert re.search(r"^[\d.]+ s\b", said, re.MULTILINE), said


def test_a_route_deleted_at_the_prompt_comes_back_with_a_state(at_prompt):
    said, wrong = at_prompt("rtl8139-tso", "fault_on", "server ip route del default", "fault_off", "server ip route")
    assert not wrong and "default via 10.8.1.1" in said
