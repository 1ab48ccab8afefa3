"""Does a notebook's kernel start, stop, and leave nothing behind, however it is ended?"""

import os
import re
import signal
import socket
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from jupyter_client.connect import write_connection_file
from jupyter_client.manager import KernelManager

from host import paths
from host.notebook import jupyter
from host.paths import LABS, REPOSITORY
from host.vm import guests
from tests.vm.conftest import wait_until, wake_s


@pytest.fixture(params=["ipc"])
def kernel(monkeypatch, request):
    """A kernel, over sockets as `./lab start` has it; other editors choose ports (tcp)."""
    monkeypatch.setenv("JUPYTER_PATH", jupyter.environment()["JUPYTER_PATH"])
    file = paths.run() / f"kernel-{uuid.uuid4()}.json"
    manager = KernelManager(kernel_name="lab-vm", transport=request.param, connection_file=str(file))
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=100 * wake_s())
    yield manager, client
    client.stop_channels()
    if manager.has_kernel:
        manager.shutdown_kernel(now=True)


def evaluate(client, code: str) -> str:
    """What `code` prints; raises if it fails."""
    printed = []

    def hook(message):
        if message["msg_type"] == "stream":
            printed.append(message["content"]["text"])

    reply = client.execute_interactive(code, timeout=100 * wake_s(), output_hook=hook)
    assert reply["content"]["status"] == "ok", reply["content"].get("traceback")
    return "".join(printed)


def left_in_guest() -> str:
    """Cgroups of the fork server that are still there."""
    command = ["sh", "-c", "ls -d /sys/fs/cgroup/lab-* 2>/dev/null"]
    return guests.running_guest().connection.run(command, capture_output=True, text=True).stdout


def has_ended(pid: int) -> bool:
    """Whether this process has, also if its new parent, the machine's first process, has not yet asked how."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_until_none_left() -> None:
    wait_until(lambda: left_in_guest() == "")


@pytest.mark.parametrize("kernel", ["ipc", "tcp"], indirect=True)
def test_it_is_root_in_the_guest_with_our_labs(kernel):
    _, client = kernel
    assert evaluate(client, "import os; print(os.getuid(), os.uname().nodename)") == "0 packets\n"
    assert evaluate(client, "import labs; print(labs.__file__)") == "/root/lab/labs/__init__.py\n"


def test_it_has_the_magics_that_a_reader_would_try(kernel):
    _, client = kernel
    assert evaluate(client, "%%bash\necho $((6 * 7))") == "42\n"
    assert re.search(r"^Wall time: .*s$", evaluate(client, "%time 6 * 7"), re.MULTILINE)


def test_a_port_that_is_taken_is_named_and_nothing_stays(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        file, _ = write_connection_file(str(tmp_path / "connection.json"), hb_port=port, key=b"k")
        result = subprocess.run(
            [sys.executable, "-m", "host.notebook.kernel", "stock", file],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
        )
    assert result.returncode == 3 and str(port) in result.stderr and "Next:" in result.stderr
    wait_until_none_left()


def test_interrupt_ends_the_cell_and_not_the_kernel(kernel):
    manager, client = kernel
    evaluate(client, "mine = 1")
    code = "import time\nprint('asleep', flush=True)\ntime.sleep(200)"
    sent = client.execute(code, stop_on_error=False)  # else what follows is aborted, not run
    while client.get_iopub_msg(timeout=300)["content"].get("text") != "asleep\n":
        pass
    manager.interrupt_kernel()
    while True:
        reply = client.get_shell_msg(timeout=300)
        if reply["parent_header"]["msg_id"] == sent:
            break
    assert reply["content"]["ename"] == "KeyboardInterrupt"
    assert evaluate(client, "print(mine)") == "1\n"


@pytest.mark.xdist_group("checkout")  # it writes into it
def test_restart_picks_up_an_edit_of_labs(kernel):
    manager, client = kernel
    probe = LABS / "edited_by_a_test.py"
    try:
        probe.write_text("ANSWER = 42\n")
        manager.restart_kernel()
        client.wait_for_ready(timeout=300)
        assert evaluate(client, "from labs.edited_by_a_test import ANSWER; print(ANSWER)") == "42\n"
    finally:
        probe.unlink()


def test_shutdown_leaves_nothing_in_the_guest(kernel):
    manager, client = kernel
    evaluate(client, "import subprocess; subprocess.Popen(['sleep', '1000'])")
    assert left_in_guest()
    manager.shutdown_kernel()
    wait_until_none_left()


def test_a_hard_kill_leaves_nothing_on_either_side(kernel):
    manager, client = kernel
    evaluate(client, "import subprocess; subprocess.Popen(['sleep', '1000'])")
    pid = manager.provisioner.process.pid
    os.kill(pid, signal.SIGKILL)
    wait_until_none_left()


def test_a_jupyter_that_is_killed_outright_leaves_nothing_on_either_side(kernel):
    server = """
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="lab-vm")
print(manager.provisioner.process.pid, flush=True)
client.execute_interactive("import time; time.sleep(1000)")
"""
    before = left_in_guest().split()
    process = subprocess.Popen([sys.executable, "-c", server], stdout=subprocess.PIPE, text=True)
    ours = int(process.stdout.readline())
    assert len(left_in_guest().split()) > len(before)
    process.kill()
    process.wait()
    wait_until(lambda: left_in_guest().split() == before and has_ended(ours))
