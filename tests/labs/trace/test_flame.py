"""Are sampled stacks added up right, and does the picture say what it shows?"""

import re
from collections import Counter

import pytest

from core.draw.flame import Flame
from labs.trace.flame import parse

SCRIPT = """
	ffffffffb3130430 __ipv6_addr_label+0x10
	ffffffffb3123750 ipv6_get_saddr_eval
	ffffffffb311c690 ip6_dst_lookup_tail.constprop.0
	ffffffffb3400126 entry_SYSCALL_64_after_hwframe

	ffffffffb3123750 ipv6_get_saddr_eval
	ffffffffb311c690 ip6_dst_lookup_tail.constprop.0
	ffffffffb3400126 entry_SYSCALL_64_after_hwframe

	ffffffffb3400126 entry_SYSCALL_64_after_hwframe
"""


@pytest.fixture
def flame():
    return parse(SCRIPT, "a title with <brackets>")


def test_blocks_become_stacks_outermost_first(flame):
    assert flame.samples == 3
    assert ("entry_SYSCALL_64_after_hwframe", "ip6_dst_lookup_tail", "ipv6_get_saddr_eval") in flame.stacks
    folded = {
        tuple(stack.split(";")): int(count)
        for stack, _, count in (line.rpartition(" ") for line in flame.folded().splitlines())
    }
    assert folded == flame.stacks


def test_shares(flame):
    assert flame.with_callees("ip6_dst_lookup_tail") == pytest.approx(2 / 3)
    assert sum(flame.own().values()) == pytest.approx(1)
    cut = flame.under("ip6_dst_lookup_tail")
    assert cut.samples == 2 and cut.own() == {"__ipv6_addr_label": 0.5, "ipv6_get_saddr_eval": 0.5}


def test_a_call_within_itself_is_counted_once():
    flame = Flame(Counter({("a", "b", "a"): 4, ("a",): 4}))
    assert flame.with_callees("a") == 1 and flame.own()["a"] == 1


def test_nothing_sampled_is_nothing_drawn():
    assert parse("").samples == 0 and parse("").own() == {}
    assert "<figure" in parse("").html() and parse("").with_callees("a") == 0


def test_the_picture_says_its_figures(flame):
    html = flame.html()
    assert "<brackets>" not in html and "&lt;brackets&gt;" in html
    assert "ipv6_get_saddr_eval: 66.7% of the time, 33.3% its own" in html
    widths = [float(width) for width in re.findall(r'width="([\d.]+)" height="18', html)]
    assert len(widths) == 4 and max(widths) > 700
    assert html.count("<title") >= 5 and "<details>" in html
    assert max(map(len, flame.text().splitlines())) <= 80


def test_two_on_a_page_have_ids_of_their_own(flame):
    ids = [re.findall(r'id="([^"]+)"', one.html()) for one in (flame, flame.under("ip6_dst_lookup_tail"))]
    assert not set(ids[0]) & set(ids[1])
