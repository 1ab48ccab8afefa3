"""Does the comparison of an expected with an observed stack catch what differs, and only that?"""

import json
from html.parser import HTMLParser

import pytest

from core.draw import stacks_view
from core.draw.tree import markup
from labs.trace.stacks import Frame, State, Unreadable, function_name, match, parse

EXPECTED = """
# the ICMP comes back inside the call that caused it
tcp_v4_err             @net/ipv4/tcp_ipv4.c   # the socket is owned: deferred
icmp_unreach
__do_softirq => handle_softirqs : renamed in 6.1.y   @kernel/softirq.c
do_softirq
ip_fragment
ip_finish_output ~ ip_output() leaves by a tail call
ip_output
tcp_push ~ small enough for its caller
"""
OBSERVED = [
    b"tcp_v4_err+0x1",
    b"icmp_unreach+0x91",
    b"icmp_rcv+0x19f",
    b"handle_softirqs+0xd9",
    b"do_softirq+0x75",
    b"ip_fragment.constprop.0+0x7a",
    b"ip_output+0x78",
]
SYMBOLS = {
    "tcp_v4_err",
    "icmp_unreach",
    "icmp_rcv",
    "handle_softirqs",
    "do_softirq",
    "ip_fragment",
    "ip_finish_output",
    "ip_output",
}


def states(comparison):
    return [row.state.value for row in comparison.rows]


def test_every_state_of_a_stack_that_holds():
    found = match(EXPECTED, OBSERVED, SYMBOLS, "B")
    assert states(found) == ["seen", "seen", "also there", "renamed", "seen", "seen", "folded", "seen", "folded"]
    assert found.ok and found.missing == []
    reasons = {row.frame.name: row.reason for row in found.rows if row.frame}
    assert reasons["__do_softirq"] == "renamed in 6.1.y"
    assert "tail call; the running kernel has ip_finish_output" in reasons["ip_finish_output"]
    assert reasons["tcp_push"] == "small enough for its caller; the running kernel has no such symbol: inlined"
    assert found.text(120).endswith(
        "8 frames expected: 5 seen, 1 renamed, 2 inlined or tail call, 0 by chance, 0 missing; 1 also there"
    )


def test_undeclared_absence_of_a_living_function_fails():
    found = match(EXPECTED + "tcp_sendmsg", OBSERVED, SYMBOLS | {"tcp_sendmsg"})
    assert not found.ok and found.missing == ["tcp_sendmsg"]
    assert "the running kernel has tcp_sendmsg" in found.rows[-1].reason
    assert "NOT as expected" in found.text() and "Not as expected: " in found.html() and "! missing" in found.text()


@pytest.mark.parametrize("gone", ["do_tcp_sendpages", "tcp_sendpage => tcp_send_page : renamed"])
def test_a_function_that_is_gone_is_not_inlined(gone):
    found = match(f"{EXPECTED}{gone}", OBSERVED, SYMBOLS)
    assert not found.ok and found.missing == [gone.split()[0]]
    assert "has no " + gone.split()[0] in found.rows[-1].reason and "gone" in found.rows[-1].reason


OF_TWO_KERNELS = """
tcp_write_xmit
[pipe_to_sendpage]
do_tcp_sendpages
sock_sendpage
[!pipe_to_sendpage]
tcp_sendmsg
sock_sendmsg
[]
do_sendfile
"""
OLD = ["tcp_write_xmit", "do_tcp_sendpages", "sock_sendpage", "do_sendfile"]
NEW = ["tcp_write_xmit", "tcp_sendmsg", "sock_sendmsg", "do_sendfile"]


@pytest.mark.parametrize("observed, has", [(OLD, {"pipe_to_sendpage"}), (NEW, set())])
def test_what_is_expected_depends_on_what_the_kernel_has(observed, has):
    found = match(OF_TWO_KERNELS, observed, {*has, *observed})
    assert found.ok and states(found) == ["seen"] * 4


def test_what_either_kernel_does_is_expected_of_it_alone():
    assert match(OF_TWO_KERNELS, NEW, {"pipe_to_sendpage", *NEW}).missing == ["do_tcp_sendpages", "sock_sendpage"]
    assert match(OF_TWO_KERNELS, OLD, {*OLD}).missing == ["tcp_sendmsg", "sock_sendmsg"]


def test_a_frame_in_another_place_is_missing_and_says_so():
    found = match("a\nb\nc", ["b", "a", "c"], {"a", "b", "c"})
    assert len(found.missing) == 1
    assert "not in this place" in next(r.reason for r in found.rows if r.state is State.MISSING)


def test_one_absent_frame_does_not_take_its_namesake_further_down():
    found = match(
        "ip_output\nipip_tunnel_xmit\nip_output\ntcp_sendmsg",
        ["ipip_tunnel_xmit", "ip_output", "tcp_sendmsg"],
        {"ip_output"},
    )
    assert states(found) == ["missing", "seen", "seen", "seen"]


def test_nothing_observed_is_not_ok():
    found = match("only_inlined ~ as it says", [], {"another"})
    assert states(found) == ["folded"] and found.missing == [] and not found.ok


def test_no_symbols_is_an_error_and_not_a_pass():
    with pytest.raises(ValueError, match="found none.*kallsyms"):
        match("a", ["b"], set())


def test_old_name_still_counts_as_seen():
    assert states(match("__do_softirq => handle_softirqs : renamed", ["__do_softirq"], {"x"})) == ["seen"]


@pytest.mark.parametrize(
    "traced",
    [
        "ip_fragment",
        b"ip_fragment+0x7a",
        "ip_fragment.constprop.0+0x7a/0x90",
        "ip_fragment.isra.0",
        "ip_fragment.part.0.isra.0+0x1",
        "ip_fragment+12",
        "ip_fragment.cold",
        "ip_fragment+0x1 [ip_vs]",
        " ip_fragment.constprop.0.isra.0\n",
    ],
)
def test_tracers_spellings_are_one_function(traced):
    assert function_name(traced) == "ip_fragment"


def test_a_frame_holds_all_that_its_line_says():
    (frame,) = parse("a => b : new name ~ and inlined by some  @net/core/dev.c  # see page 3")
    why = "and inlined by some"
    assert frame == Frame("a", "b", True, False, why, "see page 3", "net/core/dev.c", "new name")


@pytest.mark.parametrize(
    "line, said",
    [
        ("a => b", "expected `: why` after the new name `b`"),
        ("a ~", "expected why `a` may be absent"),
        ("a b", r"expected `function \[=> new_name : why\].*found `a b`"),
        ("=> b : c", "expected `function"),
    ],
)
def test_errors_name_the_line_and_what_was_expected(line, said):
    with pytest.raises(Unreadable, match=f"expected.stack, line 3: {said}"):
        parse(f"fine\n# comment\n{line}\n", "expected.stack")


def test_an_empty_stack_is_an_error():
    with pytest.raises(Unreadable, match="at least one frame"):
        parse("# nothing\n")


def test_three_renderings_of_the_same_data():
    found = match(EXPECTED, OBSERVED, SYMBOLS, "B: <deferred> & later")
    data = json.loads(json.dumps(found.to_json()))
    text, html = found.text(), found.html()
    for row in data["rows"]:
        for rendering in (text, html):
            assert stacks_view.word(row) in rendering
            assert (row["told"] or row["observed"]) in rendering
    assert "the socket is owned: deferred" in text and "the socket is owned: deferred" in html
    assert found._repr_html_() == html and "&lt;deferred&gt; &amp; later" in html
    assert html.startswith('<figure class="wpw-stack">')
    for needed in ("<caption>", 'scope="col"', 'scope="row"', 'tabindex="0"'):
        assert needed in html
    assert "#fff" not in html and "white;" not in html


def test_a_frame_that_left_none_is_called_after_what_is_proven_of_it():
    proofs = {
        "ends in a call of b(): a() jumps to b at +0x7, which leaves no frame": "tail call",
        "an inline function; the running kernel has no such symbol: inlined": "inlined",
        "small enough for its caller; the running kernel has a, and it is not on this stack": "no frame",
    }
    for reason, word in proofs.items():
        row = {"state": "folded", "told": "a", "observed": None, "reason": reason, "note": None}
        shown = {"title": "", "ok": True, "summary": "", "rows": [row]}
        assert f"~ {word} " in stacks_view.text(shown)
        assert f"</span>{word}</td>" in markup(stacks_view.figure(shown))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_terminal_lines_keep_within_the_width(width):
    long = [*OBSERVED, "entry_SYSCALL_64_after_hwframe_and_a_name_without_end_to_it+0x44"]
    assert max(map(len, match(EXPECTED, long, SYMBOLS, "t" * 90).text(width).splitlines())) <= width


def test_markup_is_balanced():
    class Balance(HTMLParser):
        open_tags = []

        def handle_starttag(self, tag, attrs):
            self.open_tags.append(tag)

        def handle_endtag(self, tag):
            assert self.open_tags.pop() == tag

    parser = Balance()
    parser.feed(match(EXPECTED, OBSERVED, SYMBOLS).html())
    assert parser.open_tags == []


def test_what_depends_on_chance_is_its_own_state_and_never_missing():
    expected = "tcp_write_timer\ndo_idle ? the processor may have had work\nstart_secondary"
    found = match(expected, ["tcp_write_timer", "start_secondary"], {"tcp_write_timer", "do_idle", "start_secondary"})
    assert [row.state for row in found.rows] == [State.SEEN, State.CHANCE, State.SEEN]
    assert found.ok and found.rows[1].reason == "the processor may have had work"
    assert "? by chance" in found.text() and "wpw-chance" in found.html()
