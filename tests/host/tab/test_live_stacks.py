"""Does the tab put its stacks beside the chapter's as the lab does? What vm-image/tab/stacks.js makes under Node."""

import json
import random
import subprocess
from pathlib import Path

import pytest

from core.draw import stacks_view
from core.draw.tree import markup
from host.tab import node
from labs.trace import stacks
from tests.host.tab.test_live_ladder import same

RECORDED = json.loads(Path("book/_recordings/frag-needed.json").read_text())["trace"]["stacks"]
STORIES = [one["story"] for one in RECORDED]
# A run in the tab's kernel under Node, 2026-11-24.
EXCHANGES = [{"name": "A", "at_ms": 0.414, "waited_ms": 8.833}, {"name": "B", "at_ms": 9.366, "waited_ms": 217.084}]
EVENTS = [
    (
        "tcp_simple_retransmit",
        "<idle>",
        3.926,
        """
     tcp_v4_mtu_reduced tcp_v4_err icmp_socket_deliver icmp_unreach icmp_rcv ip_protocol_deliver_rcu
     ip_local_deliver_finish ip_local_deliver ip_rcv __netif_receive_skb_one_core __netif_receive_skb
     process_backlog __napi_poll net_rx_action handle_softirqs __do_softirq call_on_stack do_softirq_own_stack
     irq_exit_rcu common_interrupt asm_common_interrupt default_idle arch_cpu_idle default_idle_call do_idle
     cpu_startup_entry rest_init arch_call_rest_init start_kernel i386_start_kernel startup_32_smp""",
    ),
    (
        "__icmp_send",
        "exchange",
        9.535,
        """
     ip_fragment.constprop.0 __ip_finish_output ip_finish_output ip_output ip_local_out __ip_queue_xmit
     ip_queue_xmit __tcp_transmit_skb tcp_write_xmit __tcp_push_pending_frames tcp_push tcp_sendmsg_locked
     tcp_sendmsg inet_sendmsg __sock_sendmsg sock_write_iter do_iter_readv_writev do_iter_write vfs_writev
     do_writev __ia32_sys_writev ia32_sys_call __do_fast_syscall_32 do_fast_syscall_32 do_SYSENTER_32
     entry_SYSENTER_32""",
    ),
    (
        "tcp_v4_err",
        "exchange",
        9.992,
        """
     icmp_socket_deliver icmp_unreach icmp_rcv ip_protocol_deliver_rcu ip_local_deliver_finish ip_local_deliver
     ip_rcv __netif_receive_skb_one_core __netif_receive_skb process_backlog __napi_poll net_rx_action
     handle_softirqs __do_softirq call_on_stack do_softirq_own_stack do_softirq __local_bh_enable_ip __icmp_send
     ip_fragment.constprop.0 __ip_finish_output ip_finish_output ip_output ip_local_out __ip_queue_xmit
     ip_queue_xmit __tcp_transmit_skb tcp_write_xmit __tcp_push_pending_frames tcp_push tcp_sendmsg_locked
     tcp_sendmsg inet_sendmsg __sock_sendmsg sock_write_iter do_iter_readv_writev do_iter_write vfs_writev
     do_writev __ia32_sys_writev ia32_sys_call __do_fast_syscall_32 do_fast_syscall_32 do_SYSENTER_32
     entry_SYSENTER_32""",
    ),
    (
        "tcp_simple_retransmit",
        "exchange",
        10.277,
        """
     tcp_v4_mtu_reduced tcp_release_cb release_sock tcp_sendmsg inet_sendmsg __sock_sendmsg sock_write_iter
     do_iter_readv_writev do_iter_write vfs_writev do_writev __ia32_sys_writev ia32_sys_call
     __do_fast_syscall_32 do_fast_syscall_32 do_SYSENTER_32 entry_SYSENTER_32""",
    ),
    (
        "tcp_write_wakeup",
        "<idle>",
        214.149,
        """
     tcp_send_probe0 tcp_write_timer_handler tcp_write_timer call_timer_fn run_timer_softirq handle_softirqs
     __do_softirq call_on_stack do_softirq_own_stack irq_exit_rcu common_interrupt asm_common_interrupt
     default_idle arch_cpu_idle default_idle_call do_idle cpu_startup_entry rest_init arch_call_rest_init
     start_kernel i386_start_kernel startup_32_smp""",
    ),
]
ASK = """
import "./stacks.js";
import "./drawing.js";
let text = "";
for await (const chunk of process.stdin) text += chunk;
console.log(JSON.stringify(JSON.parse(text).map(([verb, ...known]) => LiveStacks[verb](...known))));
"""


def answers(*asked) -> list:
    """What stacks.js makes of each (function, arguments)."""
    done = subprocess.run(
        [node.node(), "--input-type=module", "-e", ASK],
        input=json.dumps(asked),
        text=True,
        capture_output=True,
        cwd=node.TAB,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def traced(events=EVENTS) -> dict:
    """A run with these events."""
    return {
        "exchanges": EXCHANGES,
        "stacks": [
            {"function": function, "process": process, "at_ms": at_ms, "frames": frames.split()}
            for function, process, at_ms, frames in events
        ],
    }


def compared(run: dict) -> dict[str, dict]:
    """Each story's comparison with the run, by its name."""
    return {one["story"]: one for one in answers(["comparisons", run, RECORDED])[0]}


def test_each_story_is_found_and_as_told():
    found = compared(traced())
    assert [*found] == [story for story in STORIES if story != "5-sent-again"]  # no probe is where that begins
    for one in found.values():
        assert one["ok"], [row for row in one["rows"] if row["state"] == "missing"]
    assert found["6-probe-timer"]["title"].endswith(", from tcp_write_wakeup() on: live, in this tab")


def test_what_differs_on_32_bits_is_said():
    rows = {row["told"] or row["observed"]: row for row in compared(traced())["2-comes-back-inside"]["rows"]}
    entry, renamed, own = (rows[name] for name in ("do_syscall_64", "sock_sendmsg", "call_on_stack"))
    assert (entry["state"], entry["observed"]) == ("renamed", "do_SYSENTER_32") and "SYSENTER" in entry["reason"]
    assert renamed["observed"] == "__sock_sendmsg" and "prevent rewrite" in renamed["reason"]
    assert own["state"] == "also there" and "own stack" in own["reason"]
    assert rows["__do_softirq"]["state"] == "seen" and rows["handle_softirqs"]["state"] == "also there"
    assert rows["ip_rcv"]["reason"] == "left no frame on the recorded stack"


def test_a_frame_that_is_gone_is_missed():
    events = [
        (function, process, at_ms, frames.replace("tcp_sendmsg_locked", ""))
        for function, process, at_ms, frames in EVENTS
    ]
    found = compared(traced(events))
    assert not found["1-icmp-to-itself"]["ok"] and "1 missing" in found["1-icmp-to-itself"]["summary"]
    assert found["3-deferred"]["ok"]


def test_a_softirq_may_run_in_its_own_thread():
    later = " ".join(EVENTS[2][3].split()[:13]) + " run_ksoftirqd smpboot_thread_fn kthread ret_from_fork"
    function, _, at_ms, _ = EVENTS[2]
    found = compared(traced([(function, "ksoftirqd/0", at_ms, later)]))
    assert found["2-comes-back-inside"]["ok"]
    told = [row for row in found["2-comes-back-inside"]["rows"] if row["told"]]
    assert told[0]["state"] == "seen" and "ran in ksoftirqd/0" in told[-1]["reason"]


def test_a_run_in_which_nobody_was_refused_has_no_stack():
    assert compared(traced([])) == {}


def test_frames_find_their_places_as_in_the_lab():
    chance = random.Random(1)
    lists = [[chance.choices("abcde", k=chance.randint(0, 9)) for _ in "ab"] for _ in range(200)]
    answered = answers(*(["aligned", [[name] for name in told], seen] for told, seen in lists))
    for (told, seen), pairs in zip(lists, answered):
        frames = [stacks.Frame(name) for name in told]
        known = [(frame and frame.name, at) for frame, at in stacks._align(frames, seen)]
        assert [(None if i is None else told[i], j) for i, j in pairs] == known


@pytest.mark.parametrize("story", STORIES)
def test_it_is_shown_as_the_lab_shows_it(story):
    recorded = next(one for one in RECORDED if one["story"] == story)
    same(answers(["figure", recorded])[0], markup(stacks_view.figure(recorded)))
