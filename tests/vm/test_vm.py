"""Does the VM come up, go down, start afresh, and survive what happens on normal days?"""

import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from host.vm import guests, labs_sync, machine, snapshot
from tests.vm.conftest import REPOSITORY, qemu_pids, wait_until

UP_AND_WAITS = """
import subprocess, sys
from pathlib import Path
from host.testing.leftover import guests_end_with_us
folder, lab = map(Path, sys.argv[1:])
with guests_end_with_us(folder):
    subprocess.run([lab, "up"], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    print("up", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def none_up(no_guest_left):
    """The reader's VMs are down before the test, whatever ran before it, and after it."""
    _all_down()
    yield
    _all_down()


def _all_down():
    for name in guests.running_profiles():
        guests.down(name)


def test_up_shell_down(lab, none_up):
    assert lab("up").returncode == 0
    answer = lab("shell", "--", "uname", "-r")
    assert answer.returncode == 0 and answer.stdout.strip() == os.path.basename(_release())
    assert lab("shell", "--", "sh", "-c", "exit 7").returncode == 7
    assert "stopped" in lab("down").stderr
    assert "not up" in lab("down").stderr


def test_two_profiles_are_up_at_once_and_each_is_reset_alone(lab, none_up):
    lab("up")
    assert lab("up", "rtl8139", timeout=900).returncode == 0
    stock, other = ("shell", "--", "sh", "-c"), ("shell", "--profile", "rtl8139", "--", "sh", "-c")
    for shell in (stock, other):
        lab(*shell, "echo mine >/root/note")
        assert lab(*shell, "cat /root/note").stdout == "mine\n"
    lab("reset", "rtl8139")
    assert lab(*stock, "cat /root/note").stdout == "mine\n"
    assert lab(*other, "cat /root/note || echo none").stdout == "none\n"
    lab("down", "rtl8139")
    assert guests.running_profiles() == ["stock"]
    lab("up", "rtl8139")
    assert "stopped" in lab("down").stderr and guests.running_profiles() == []


def test_the_guests_of_a_killed_test_run_end(monkeypatch):
    folder = Path(tempfile.mkdtemp(prefix="packets-killed-", dir="/tmp"))  # short, for unix sockets
    monkeypatch.setenv("LAB_RUN_DIR", str(folder))
    call = [sys.executable, "-P", "-c", UP_AND_WAITS, folder, REPOSITORY / "lab"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as run:
        assert run.stdout.readline() == b"up\n" and qemu_pids()
        run.kill()
    wait_until(lambda: not folder.exists())
    assert not qemu_pids()


def _release():
    from host.vm.image import image

    return image().release


def test_reset_forgets_what_was_done(lab, none_up):
    look = ("shell", "--", "sh", "-c", "cat /root/note || echo none; cat /proc/sys/net/ipv4/ip_forward")
    assert lab(*look).stdout == "none\n0\n"
    lab("shell", "--", "sh", "-c", "echo mine >/root/note; sysctl -qw net.ipv4.ip_forward=1")
    assert lab(*look).stdout == "mine\n1\n"
    assert lab("reset").returncode == 0
    assert lab(*look).stdout == "none\n0\n"


def test_several_guests_live_at_once_and_share_nothing_they_write():
    with guests.throwaway() as one, guests.throwaway() as two:
        one.connection.run(["sh", "-c", "echo one >/root/note"], check=True)
        two.connection.run(["sh", "-c", "echo two >/root/note"], check=True)
        for guest, text in ((one, "one\n"), (two, "two\n")):
            read = guest.connection.run(["cat", "/root/note"], capture_output=True, text=True)
            assert read.stdout == text


def test_restored_guests_have_their_own_random_numbers_and_the_hosts_time():
    seen = []
    for _ in range(2):
        with guests.throwaway() as guest:
            command = ["sh", "-c", "cat /proc/sys/kernel/random/uuid; date +%s"]
            seen.append(guest.connection.run(command, capture_output=True, text=True).stdout.split())
            assert abs(int(seen[-1][1]) - time.time()) < 30
    assert seen[0][0] != seen[1][0]


def test_the_guest_has_no_network_and_no_host_files():
    with guests.throwaway() as guest:
        routes = guest.connection.run(["ip", "route"], capture_output=True, text=True).stdout
        assert "default" not in routes
        mounts = guest.connection.run(["cat", "/proc/mounts"], capture_output=True, text=True).stdout
        assert not any(kind in mounts for kind in (" 9p ", " virtiofs ", " nfs"))
        # The host's loopback, as QEMU's user network would offer it, is closed too.
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
            reach = ["timeout", "5", "bash", "-c", f"exec 3<>/dev/tcp/10.0.2.2/{port}"]
            assert guest.connection.run(reach, capture_output=True).returncode != 0


def test_a_guest_has_our_keys_and_its_image_has_none():
    """An image goes from hand to hand, and who has a key of it could be any guest, or enter it."""
    disk = snapshot.machine_setup("stock")[1].disk
    listed = subprocess.run(["unsquashfs", "-l", disk], capture_output=True, text=True, check=True).stdout
    names = {os.path.basename(line) for line in listed.splitlines()}
    assert "sshd_config" in names and not {name for name in names if name.startswith(("ssh_host_", "authorized_keys"))}
    with guests.throwaway() as guest:
        paths = ["/", "/etc", "/root", "/root/.ssh", "/root/.ssh/authorized_keys", "/etc/ssh/ssh_host_ed25519_key"]
        modes = guest.connection.run(["stat", "-c", "%a %U", *paths], capture_output=True, text=True)
    assert modes.stdout.splitlines() == ["755 root"] * 2 + ["700 root"] * 2 + ["600 root"] * 2


NAMESPACES = "user", "mnt", "pid", "net", "ipc", "uts"


@pytest.mark.parametrize("outlives_us", [False, True], ids=["a throwaway's", "the reader's"])
def test_qemu_of_a_real_guest_shares_no_namespace_with_us(no_guest_left, outlives_us):
    """And has no capability in its own, where it may gain none and has lost some system calls."""
    before = set(qemu_pids())
    guest = snapshot.resume(outlives_us=outlives_us)
    try:
        (qemu,) = set(qemu_pids()) - before
        inside = {kind: os.readlink(f"/proc/{qemu}/ns/{kind}") for kind in NAMESPACES}
        status = dict(line.split(":\t", 1) for line in Path(f"/proc/{qemu}/status").read_text().splitlines())
    finally:
        guest.end()
    assert [kind for kind in NAMESPACES if inside[kind] == os.readlink(f"/proc/self/ns/{kind}")] == []
    assert int(status["CapEff"], 16) == 0 and (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")


def test_a_killed_guest_is_noticed_and_the_next_call_works(lab, no_guest_left):
    lab("up")
    os.kill(guests.running_guest().pid, signal.SIGKILL)
    while guests.running_guest():
        time.sleep(0.01)
    answer = lab("shell", "--", "echo", "again")
    assert answer.stdout == "again\n", answer.stderr
    lab("down")


def test_a_killed_lab_leaves_no_guest(lab, no_guest_left):
    import subprocess
    import sys

    before = set(qemu_pids())
    hold = "from host.vm import guests; import time\nwith guests.throwaway(): print('up', flush=True); time.sleep(600)"
    process = subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "up\n"
    process.kill()
    process.wait()
    wait_until(lambda: set(qemu_pids()) <= before)


def test_a_lab_killed_before_its_guest_is_the_readers_leaves_one_that_the_next_ends(no_guest_left):
    import subprocess
    import sys

    before = set(qemu_pids())
    hold = (
        "from host.vm import snapshot; import time\n"
        "snapshot.resume(outlives_us=True); print('resumed', flush=True); time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "resumed\n"
    machine.sweep()
    assert len(set(qemu_pids()) - before) == 1, "who started it lives, so it may yet be the reader's"
    process.kill()
    process.wait()
    machine.sweep()
    assert set(qemu_pids()) <= before


def test_two_labs_at_once_both_answer_from_one_guest(none_up):
    import subprocess

    before = set(qemu_pids())
    calls = [
        subprocess.Popen(
            [REPOSITORY / "lab", "shell", "--", "echo", word], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for word in ("one", "two")
    ]
    said = sorted(call.communicate(timeout=300)[0] for call in calls)
    assert said == ["one\n", "two\n"]
    assert len(set(qemu_pids()) - before) == 1, "one has started a guest, and the other has waited for it"


def test_the_folder_of_a_dead_guest_is_swept():
    guest = snapshot.restore()
    os.kill(guest.pid, signal.SIGKILL)
    os.waitpid(guest.pid, 0)
    assert guest.folder.exists()
    machine.sweep()
    assert not guest.folder.exists()


def labs_in(guest) -> dict[str, str]:
    """The files of core/, labs/ and tests/ in this guest, with the SHA-256 of each; those of Python's own left out."""
    sums = guest.connection.run(
        ["sh", "-c", "cd /root/lab && find core labs tests -type f ! -path '*/__pycache__/*' -exec sha256sum {} +"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return {name: digest for digest, name in (line.split() for line in sums.splitlines())}


def labs_here(repository: Path) -> dict[str, str]:
    return {name: hashlib.sha256((repository / name).read_bytes()).hexdigest() for name in labs_sync.contents()}


def compiled_in(guest) -> str:
    return guest.connection.run(["ls", "/root/lab/labs/__pycache__"], capture_output=True, text=True).stdout


@pytest.mark.xdist_group("checkout")  # not while another test writes into it
def test_a_fresh_guest_has_labs_as_they_stand_on_the_host():
    with guests.throwaway() as guest:
        assert labs_in(guest) == labs_here(REPOSITORY)
        assert "case.cpython-311.pyc" in compiled_in(guest)


def test_a_snapshot_of_another_tree_serves_one_in_which_files_have_moved(tmp_path, monkeypatch):
    """Who updates keeps the snapshot: what has stayed is still compiled there, what has moved is where it is here."""
    for folder in labs_sync.SENT:
        shutil.copytree(REPOSITORY / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "tests/guest/test_plots.py").rename(tmp_path / "tests/guest/test_drawn.py")
    (tmp_path / "labs/table.py").rename(tmp_path / "labs/tables.py")
    (tmp_path / "labs/cases/frag_needed").rename(tmp_path / "labs/cases/needed")
    monkeypatch.setattr(labs_sync, "REPOSITORY", tmp_path)
    with guests.throwaway() as guest:
        assert labs_in(guest) == labs_here(tmp_path)
        assert "case.cpython-311.pyc" in compiled_in(guest)
        gone = guest.connection.run(["ls", "/root/lab/labs/cases/frag_needed"], capture_output=True)
        assert gone.returncode != 0
