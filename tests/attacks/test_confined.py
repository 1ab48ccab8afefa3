"""Can C of a reader's, which runs on the reader's machine, do what the reader can?

Each attack is a program that prints "done" when it has done its harm. It is run as this user first, and works; then
confined, as an answer to chapter 2's last exercise is compiled and run (host/sandbox/confined.py).
"""

import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from core import cases
from host.debian import namespaces
from host.exercises import answer_machine
from host.sandbox import confined, relay
from tests.attacks.conftest import until

PYTHON = ["/usr/bin/python3", "-I", "-c"]
READ = "print('done' * ('of the home' in open({secret!r}).read()))"
OVERWRITE = "open({secret!r}, 'a').write(''); print('done')"
ADD_A_FILE = "open({beside!r}, 'w').write('x'); print('done')"
REPLACE = "import os; os.unlink({written!r}); print('done')"
FILL_MEMORY = "import tempfile; tempfile.TemporaryFile(dir='/tmp').write(bytes(300 << 20)); print('done')"
# KEYCTL_SEARCH in the session keyring, and KEYCTL_READ of what is found (keyctl(2)).
READ_A_KEY = """
import ctypes
libc, text = ctypes.CDLL(None), ctypes.create_string_buffer(99)
key = libc.syscall(250, 10, -3, b"user", b"{name}", 0)
print("done" * (key > 0 and libc.syscall(250, 11, key, text, 99) > 0 and text.value == b"secret"))
"""
TAKE_ADDRESSES = "import mmap; mmap.mmap(-1, 9 << 30, flags=mmap.MAP_PRIVATE | 0x4000); print('done')"
ENVIRONMENT = "import os; print('done' * ('SECRET' in os.environ))"
CONNECT = "import socket; socket.create_connection(('127.0.0.1', {port})); print('done')"
ABSTRACT = "import socket; socket.socket(socket.AF_UNIX).connect('\\0{name}'); print('done')"
SIGNAL = "import os; os.kill({pid}, 0); print('done')"
LOOK_AROUND = (  # for a name that is not on its own command line
    "import pathlib; seen = [f.read_bytes()[::-1] for f in pathlib.Path('/proc').glob('*/cmdline')]\n"
    "print('done' * any(b'{backwards}' in each for each in seen))"
)
SPAWN = """
import subprocess
started = []
try:
    while len(started) < 300:
        started.append(subprocess.Popen(["sleep", "60"]))
    print("done")
finally:
    for each in started:
        each.kill()
"""
BE_SPARED = (  # when memory is short; the kernel ends first whose number is high
    "n = '/proc/self/oom_score_adj'\nif int(open(n).read()) == 1000: open(n, 'w').write('0')\nprint('done')"
)
# PTRACE_ATTACH to what is not told to give anything up; then it can be made to do whatever it may.
TRACE = """
import ctypes, os, time
other = os.fork() or time.sleep(600)
libc = ctypes.CDLL(None)
print("done" * (libc.ptrace(16, other, None, None) == 0))
os.kill(other, 9)
"""
NAMESPACE = "import ctypes; print('done' * (ctypes.CDLL(None).unshare(0x10000000) == 0))"  # CLONE_NEWUSER
OF_THE_KERNEL = "open('/proc/sys/kernel/core_pattern', 'r+').close(); print('done')"
DEVICES = "import glob; print('done' * bool(glob.glob('/dev/vd*') + glob.glob('/dev/sd*') + glob.glob('/dev/mem')))"
# Holds a lock on the file that it may write, in a process that has left its session.
OUTLIVE = """
import fcntl, os, time
held = open({written!r}, "r+")
fcntl.flock(held, fcntl.LOCK_EX)
if os.fork() == 0:
    os.setsid()
    os.closerange(0, 3)
    time.sleep(5)
    os._exit(0)
print("done")
"""
NEEDS_ROOT = {OF_THE_KERNEL, DEVICES}  # nobody else can do it, confined or not
SPARES_ROOT = {SPAWN}  # the kernel asks no RLIMIT_NPROC of root (kernel/fork.c, copy_process())
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


@pytest.fixture
def facts():
    """What the attacks know of this machine, and a file each to read and to write; not below /tmp, where what is
    confined has a folder of its own."""
    name = f"where-packets-wait-{os.getpid()}"
    with (
        tempfile.TemporaryDirectory(dir="/var/tmp") as folder,
        socket.create_server(("127.0.0.1", 0)) as port,
        socket.socket(socket.AF_UNIX) as abstract,
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", name]) as other,
    ):
        assert ctypes.CDLL(None).syscall(248, b"user", name.encode(), b"secret", 6, -3) > 0  # add_key(2)
        abstract.bind(f"\0{name}")
        abstract.listen()
        os.chmod(folder, 0o711)
        Path(folder, "secret").write_text("of the home")
        Path(folder, "written").touch()
        yield {
            **{file: f"{folder}/{file}" for file in ("secret", "beside", "written")},
            "port": port.getsockname()[1],
            "name": name,
            "backwards": name[::-1],
            "pid": other.pid,
        }
        other.kill()


def filled(attack: str, facts: dict) -> list[str]:
    """The attack's program, for these facts."""
    for name, value in facts.items():
        attack = attack.replace(f"{{{name}!r}}", repr(value)).replace(f"{{{name}}}", str(value))
    return [*PYTHON, attack]


def within(command: list[str], facts: dict) -> list[str]:
    """Words that run a command confined, with a file that it may write."""
    return confined.confined(command, writes=[Path(facts["written"])])


def does(command: list[str]) -> bool:
    """Whether the attack says that it has done it."""
    ended = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "SECRET": "x"},
        stdin=subprocess.DEVNULL,
    )
    return ended.stdout == "done\n"


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(value, id=name.lower().replace("_", "-"))
        for name, value in list(globals().items())
        if name.isupper() and isinstance(value, str) and "done" in value and name != "OUTLIVE"
    ],
)
def test_it_does_no_harm(facts, attack):
    command = filled(attack, facts)
    if attack in SPARES_ROOT and os.geteuid() == 0:
        assert does([*NOBODY, *within([*PYTHON, "print('done')"], facts)]), "nobody can confine anything"
    as_whom = NOBODY if attack in SPARES_ROOT and os.geteuid() == 0 else []
    harmed = does([*as_whom, *within(command, facts)])
    if attack not in NEEDS_ROOT or os.geteuid() == 0:
        assert does([*as_whom, *command]), "the attack does not work, so it says nothing of the wall"
    assert not harmed


def test_what_it_may_it_can(facts):
    command = filled("open({written!r}, 'w').write('answer'); open('/tmp/x', 'w').write('x'); print('done')", facts)
    assert does(within(command, facts))
    assert open(facts["written"]).read() == "answer"


def is_free(file: str) -> bool:
    with open(file) as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_nothing_of_it_is_left_when_it_has_ended(facts):
    command = filled(OUTLIVE, facts)
    assert does(within(command, facts))
    until(lambda: is_free(facts["written"]))
    assert does(command) and not is_free(facts["written"])  # for a while: this one is as free as we are


def test_it_ends_with_whoever_started_it(facts):
    held = (
        "import fcntl, time; f = open({written!r}, 'r+'); fcntl.flock(f, fcntl.LOCK_EX)\n"
        "print('held', flush=True); time.sleep(600)"
    )
    starter = subprocess.Popen(
        [sys.executable, "-c", f"import subprocess; subprocess.run({within(filled(held, facts), facts)!r})"],
        stdout=subprocess.PIPE,
    )
    assert starter.stdout.readline() == b"held\n" and not is_free(facts["written"])
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    until(lambda: is_free(facts["written"]))


def test_its_sshd_is_reached_by_a_socket_that_we_have_made(tmp_path):
    """An echo server on the loopback device of its own network, through the relay: there and back, and to the end."""
    echo = (
        "import socket; s = socket.create_server(('127.0.0.1', 2222)); print('up', flush=True)\n"
        "while True:\n c = s.accept()[0]\n while d := c.recv(9999): c.sendall(d)\n c.close()"
    )
    memory = tmp_path / "memory"
    memory.touch()
    with confined.guest(tmp_path, [*PYTHON, echo], [], memory) as (command, inherited):
        server = subprocess.Popen(command, stdout=subprocess.PIPE, pass_fds=inherited)
    try:
        assert server.stdout.readline() == b"up\n"
        sent = os.urandom(1 << 20)
        for _ in range(2):
            back = subprocess.run(
                [sys.executable, "-I", relay.__file__, "connect", str(tmp_path / "sshd")],
                input=sent,
                capture_output=True,
                timeout=60,
            )
            assert back.stdout == sent
        with contextlib.closing(socket.socket()) as ours, pytest.raises(OSError):
            ours.connect(("127.0.0.1", confined.SSHD_PORT))
    finally:
        server.kill()
        server.wait()


@pytest.mark.parametrize("inside", [True, False])
def test_a_container_is_said_to_be_the_wall_where_there_is_no_other(monkeypatch, tmp_path, inside):
    """Who is told to start the container with --privileged would lose the one that there is."""
    monkeypatch.setattr(confined, "confined", lambda words: ["sh", "-c", "echo bwrap: no >&2; exit 1"])
    monkeypatch.setattr(namespaces, "switched_off", lambda: None)
    monkeypatch.setattr(namespaces, "CONTAINERS", [tmp_path] if inside else [])
    confined.refusal.cache_clear()
    said = confined.refusal()
    confined.refusal.cache_clear()
    assert "(bwrap: no)" in said and ("outside of the container" in said) != inside and ("mount into" in said) == inside


def test_where_nothing_can_be_confined_the_answer_is_refused(monkeypatch):
    exercise = cases.exercise("rtl8139-tso/5")
    monkeypatch.setattr(answer_machine.installed, "missing", lambda names: [])
    monkeypatch.setattr(confined, "refusal", lambda: "no namespaces. Next: sudo sysctl x=1")
    with pytest.raises(answer_machine.Lacking, match="sudo sysctl x=1.*--unconfined"):
        with answer_machine.machine(exercise, "rtl8139", exercise.start.read_text(), "answer.c"):
            pass
