"""Does chapter 1 happen in the tab's kernel? Restored under Node as a page restores it; needs the emulator, no VM."""

import json
import shutil

import pytest

from host.tab import running
from host.tab.state import state

pytestmark = pytest.mark.xdist_group("tab")
TRIES = 3  # for a run in which the machine kept time: it has other work
# In 20 restores of a trial B waited 38 to 80 times as long as A; on a machine four times slower, 12.
RATIO = 5


@pytest.fixture(scope="module")
def kernel():
    """The saved kernel, made if need be."""
    return state()


def measured(kernel, told=False, trace=False) -> dict:
    """A run in which the machine kept time, by instruments that do not look at who waited."""
    for _ in range(TRIES):
        seen = running.run(kernel, told, trace)
        if seen["measured"]:
            return seen
    pytest.fail(f"{TRIES} runs, and the machine kept time in none: {seen['reason']}")


def stacks(seen: dict, function: str) -> list[list[str]]:
    """The stacks on which a function was called, without the compiler's suffixes."""
    return [[frame.partition(".")[0] for frame in event["frames"]]
            for event in seen["stacks"] if event["function"] == function]


def in_order(wanted: list[str], frames: list[str]) -> bool:
    """Whether the wanted frames are all there, in this order."""
    rest = iter(frames)
    return all(frame in rest for frame in wanted)


@pytest.fixture(scope="module")
def fault(kernel):
    """A run without the route, measured."""
    return measured(kernel)


def test_b_waits_and_the_second_time_it_does_not(fault):
    seen = fault
    counters = seen["counters"]
    assert seen["control"] is False and {one["bytes"] for one in seen["exchanges"]} == {1448}
    # The balancer told A; B, too long for the route that A had learnt, was told by its own kernel.
    assert counters["IpFragFails"] == counters["IcmpOutDestUnreachs"] == 1 and counters["IcmpInDestUnreachs"] == 2, counters
    assert seen["b_ms"] > RATIO * seen["a_ms"] and seen["b_ms"] > RATIO * seen["b_again_ms"], seen


def test_told_beforehand_nobody_waits(kernel, fault):
    seen = measured(kernel, told=True)
    counters = seen["counters"]
    assert seen["control"] is True and {one["bytes"] for one in seen["exchanges"]} == {1428}
    assert counters["IpFragFails"] == counters["IcmpInDestUnreachs"] == counters["TcpRetransSegs"] == 0, counters
    assert fault["b_ms"] > RATIO * max(seen["a_ms"], seen["b_ms"], seen["b_again_ms"]), seen


def test_the_kernels_stacks_say_why(kernel):
    seen = running.run(kernel, told=False, trace=True)
    balancer, itself = stacks(seen, "__icmp_send")
    assert in_order(["__ip_vs_get_out_rt", "ip_vs_tunnel_xmit", "ip_vs_in_hook"], balancer), balancer
    assert in_order(["ip_fragment", "__ip_finish_output", "__tcp_transmit_skb", "tcp_sendmsg"], itself), itself
    assert stacks(seen, "tcp_v4_err")
    probe = stacks(seen, "tcp_write_wakeup")[0]
    assert in_order(["tcp_send_probe0", "tcp_write_timer_handler", "tcp_write_timer"], probe), probe


def test_a_pair_that_does_not_fit_is_one_sentence(kernel, tmp_path):
    copy = tmp_path / "tab"
    shutil.copytree(kernel.folder, copy)
    with open(copy / "v86.wasm", "ab") as file:
        file.write(b"\0")
    with pytest.raises(Exception, match="state and emulator are one pair, and v86.wasm is not"):
        running.run(type(kernel)(copy), told=False, trace=False)


def test_the_command_prints_one_json_object(kernel, lab):
    answer = lab("tab", "--run", "--told", "--json")
    seen = json.loads(answer.stdout)
    assert answer.returncode == (0 if seen["measured"] else 3), answer.stderr
    assert {"a_ms", "b_ms", "b_again_ms", "control", "measured"} <= set(seen) and seen["control"] is True
