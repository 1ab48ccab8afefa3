"""Does chapter 1 happen in the tab's kernel? Restored under Node as a page restores it; needs the emulator, no VM."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from statistics import median

import pytest

from host.errors import LabError
from host.paths import REPOSITORY, cache
from host.tab import node, running
from host.tab.state import State, call, state, there
from tests.host.tab.test_live_stacks import STORIES, compared

pytestmark = pytest.mark.xdist_group("tab")
PATIENCE_S = 100  # a run takes a second; a guest that stands still, 300
RUNS, TRIES = 3, 12  # runs in which the machine kept time, and what it is given for them: it has other work
# Medians of three. On an idle machine B waits some twenty times as long as A; with three times as much work as cores
# A takes up to 40 ms, of B's 220.
RATIO = 5


@pytest.fixture(scope="module")
def kernel():
    """The saved kernel, made if need be."""
    return state()


@pytest.fixture(scope="module")
def fault(kernel):
    return measured(kernel, with_route=False)


@pytest.fixture(scope="module")
def with_route(kernel):
    return measured(kernel, with_route=True)


def measured(kernel, with_route: bool) -> list[dict]:
    """Runs in which the machine kept time, by instruments that do not look at who waited."""
    tried = []
    while len(kept := [seen for seen in tried if seen["measured"]]) < RUNS:
        if len(tried) == TRIES:
            pytest.fail(f"{TRIES} runs, and the machine kept time in {len(kept)}: {tried[-1].get('reason')}")
        tried.append(running.run(kernel, with_route, trace=False))
    return kept


def waited(runs: list[dict], name: str) -> float:
    """The median of one wait, in ms."""
    return median(seen[name] for seen in runs)


def stacks(seen: dict, function: str) -> list[list[str]]:
    """The stacks on which a function was called, without the compiler's suffixes."""
    return [
        [frame.partition(".")[0] for frame in event["frames"]]
        for event in seen["stacks"]
        if event["function"] == function
    ]


def in_order(wanted: list[str], frames: list[str]) -> bool:
    """Whether the wanted frames are all there, in this order."""
    rest = iter(frames)
    return all(frame in rest for frame in wanted)


@pytest.mark.part("machinery", why="it has not been seen beside every load yet")
def test_b_waits_and_the_second_time_it_does_not(fault):
    for seen in fault:
        counters = seen["counters"]
        assert seen["control"] is False and {one["bytes"] for one in seen["exchanges"]} == {1448}
        # The balancer told A; B, too long for the route that A had learnt, was told by its own kernel.
        assert counters["IpFragFails"] == counters["IcmpOutDestUnreachs"] == 1 and counters["IcmpInDestUnreachs"] >= 2
    assert waited(fault, "b_ms") > RATIO * waited(fault, "a_ms"), fault
    assert waited(fault, "b_ms") > RATIO * waited(fault, "b_again_ms"), fault


@pytest.mark.part("machinery", why="it has not been seen beside every load yet")
def test_the_packets_at_the_client_say_the_same(fault):
    for seen in fault:
        asked = seen["exchanges"][1]
        during = [one for one in seen["packets"] if 0 <= one["at_ms"] - asked["at_ms"] <= asked["waited_ms"]]
        (refused,) = [one for one in during if one["interface"] == "lo" and not one["outgoing"]]
        assert refused["next_hop_mtu"] == 1480 and refused["src"] == refused["dst"] == "10.0.0.1", refused
        # B's bytes leave late and come back at once, by the same clock as the one that the client waits by.
        (sent,) = [one for one in during if one["outgoing"] and one["payload_bytes"] and one["seq"] == 1]
        assert sent["payload_bytes"] == 1428 and sent["at_ms"] - asked["at_ms"] > asked["waited_ms"] / 2, sent
        assert sum(one["payload_bytes"] for one in during if not one["outgoing"]) == asked["bytes"], during


@pytest.mark.part("machinery", why="it has not been seen beside every load yet")
def test_told_beforehand_nobody_waits(fault, with_route):
    for seen in with_route:
        counters = seen["counters"]
        assert seen["control"] is True and {one["bytes"] for one in seen["exchanges"]} == {1428}
        assert counters["IpFragFails"] == counters["IcmpInDestUnreachs"] == 0, counters
    for name in ("a_ms", "b_ms", "b_again_ms"):
        assert waited(fault, "b_ms") > RATIO * waited(with_route, name), (fault, with_route)


@pytest.mark.part("machinery", why="it has not been seen beside every load yet")
def test_the_kernels_stacks_say_why(kernel):
    seen = running.run(kernel, with_route=False, trace=True)
    balancer, *_, itself = stacks(seen, "__icmp_send")  # on a slow machine the balancer speaks twice
    assert in_order(["__ip_vs_get_out_rt", "ip_vs_tunnel_xmit", "ip_vs_in_hook"], balancer), balancer
    assert in_order(["ip_fragment", "__ip_finish_output", "__tcp_transmit_skb", "tcp_sendmsg"], itself), itself
    assert stacks(seen, "tcp_v4_err")
    beside = compared(seen)
    assert [*beside] == [story for story in STORIES if story != "5-sent-again"], beside.keys()
    for story, one in beside.items():
        assert one["ok"], (story, [row["told"] for row in one["rows"] if row["state"] == "missing"])
    probe = stacks(seen, "tcp_write_wakeup")[0]
    assert in_order(["tcp_send_probe0", "tcp_write_timer_handler", "tcp_write_timer"], probe), probe


def test_a_shell_at_the_client_answers_who_types(kernel):
    """The programs are Debian's and not busybox's; another host is one word away; what the client learnt, it keeps."""
    said = call(
        "type",
        kernel.folder,
        "ip route get 10.0.0.2",
        "ask",
        "ip route get 10.0.0.2",
        "nstat",
        "on balancer ipvsadm -Ln",
        "on server sh",
        "ip -br address show tunl0",
        "exit",
    )
    assert said["ended"] is True, said
    beforehand, asked, learnt, counted, balancer, shell, *_ = said["said"].split("client# ")[1:]
    assert "10.0.0.2 dev client-eth0 src 10.0.0.1" in beforehand and "mtu" not in beforehand
    assert re.search(r"A +1448 bytes, waited .* ms\r\nB +1448 .*\r\nB again +1448 ", asked), asked
    assert re.search(r"expires \d+sec mtu 1480", learnt), learnt
    assert re.search(r"IcmpInDestUnreachs +[2-9] ", counted), counted
    assert re.search(r"TCP +10.0.0.2:7000 rr\r\n +-> 10.0.0.6:7000 +Tunnel", balancer), balancer
    assert "server# ip -br address show tunl0" in shell and "10.0.0.2/32" in shell, shell


# A page that has been open for five minutes, in a browser whose clock goes in steps of a millisecond.
OLD_AND_COARSE = """
const real = performance.now.bind(performance);
performance.now = () => Math.floor(real()) + 300000;
"""


def test_an_old_page_with_a_coarse_clock_stops_no_guest(kernel, tmp_path):
    """The guest's clock leapt by the page's age, in a third of all runs, and then stood still for as long."""
    (tmp_path / "old.mjs").write_text(OLD_AND_COARSE)
    for _ in range(6):
        words = [node.node(), "--import", tmp_path / "old.mjs", node.TAB / "node.mjs", "run", kernel.folder]
        answer = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S)
        seen = json.loads(answer.stdout)
        assert seen["counters"]["IpFragFails"] == 1, answer.stderr


@pytest.fixture
def own_cache(kernel, tmp_path, monkeypatch):
    """A cache that shares what a state is made from, and has none. (`kernel`: so all of that is there.)"""
    folder = tmp_path / "cache" / cache().name
    folder.mkdir(parents=True, mode=0o700)
    for entry in cache().iterdir():
        if entry.is_dir() and entry.name.startswith(("environment-", "node-", "emulator-", "tab-packages-")):
            (folder / entry.name).symlink_to(entry)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder.parent))
    return folder


def at_work(*words: str) -> bool:
    """Whether a process has these words on its command line, the last one in part."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if "\0".join(words).encode() in (entry / "cmdline").read_bytes():
                return True
    return False


def made_in(folder: Path) -> list[str]:
    """The states there, whole or not."""
    return [entry.name for entry in folder.glob("tab-*") if entry.is_dir() and not entry.is_symlink()]


@pytest.mark.part("machinery", why="makes the state once more")
def test_ctrl_c_while_the_state_is_made_leaves_nothing(own_cache, lab):
    process = subprocess.Popen([REPOSITORY / "lab", "tab"], start_new_session=True, text=True, stderr=subprocess.PIPE)
    while not at_work("make", f"{own_cache}/tab-"):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    assert made_in(own_cache) and there() is None
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=PATIENCE_S)[1]
    assert process.returncode == 130 and "interrupted" in said and "Traceback" not in said, said
    assert not at_work(str(own_cache)) and made_in(own_cache) == []
    answer = lab("tab", "--json")
    assert answer.returncode == 0 and there().described["files"] == json.loads(answer.stdout)["files"], answer.stderr


def test_a_pair_that_does_not_fit_is_one_sentence(kernel, tmp_path):
    copy = tmp_path / "tab"
    shutil.copytree(kernel.folder, copy)
    with open(copy / "v86.wasm", "ab") as file:
        file.write(b"\0")
    with pytest.raises(LabError, match="state and emulator are one pair, and v86.wasm is not"):
        running.run(State(copy), with_route=False, trace=False)


def test_the_command_prints_one_json_object(kernel, lab):
    answer = lab("tab", "--run", "--with-route", "--json")
    seen = json.loads(answer.stdout)
    assert answer.returncode == (0 if seen["measured"] else 3), answer.stderr
    assert {"a_ms", "b_ms", "b_again_ms", "control", "measured"} <= set(seen) and seen["control"] is True
