"""How does a reader's script act on a topology, and on nothing else? It is run by bash with one
more command, `on NODE COMMAND…`, in a cgroup of its own, with a deadline. What bash runs may call it, too: `timeout 5
on NODE COMMAND…`.

An answer may loop for ever, leave processes behind or delete what it finds: everything it started
is ended with the block, and the topology it worked on is thrown away after the judgement.

It is root, and its judge runs beside it. So it runs behind a wall, labs/take/walled.py, and without the capabilities
that reach into another process. The hosts that it may act on it gets as open descriptors, and has no others.
"""

import contextlib
import math
import os
import select
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from core.judge.evidence import Script
from core.protocol import ANSWER
from core.waiting import poll
from labs.measure import cgroups
from labs.measure.timing import timed
from labs.take.walled import ADMINISTRATORS, limited, walled

DEADLINE_S = 20
LOOK_EVERY_S = 0.02  # whether a script has ended
# Of processor time, for all that a script starts: a page sets it. In a VM there is none, because the guest of a machine
# with other work counts as its own what it was made to wait.
processor_limit_s = math.inf
# Before the command of a server, which stands among the files that measure it, and of a program.
DROP_PTRACE = ("setpriv", "--bounding-set=-sys_ptrace,-sys_module,-sys_rawio")
DROP_TO_NOBODY = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--inh-caps=-all", "--no-new-privs")

# POSIX, because it is a function of bash, and a program of dash, too: a shell's functions are its own.
ON = """\
on() {
    local node=$1 net
    case " $LAB_NODES " in *" $node "*) ;; *)
        echo "on: no node '$node'; there are: $LAB_NODES" >&2; return 2;;
    esac
    case " $LAB_ALLOWED " in *" $node "*) ;; *)
        echo "$node" >>"$LAB_FORBIDDEN"
        echo "on: this exercise leaves '$node' as it is; yours: $LAB_ALLOWED" >&2; return 97;;
    esac
    shift
    [ $# -gt 0 ] || { echo "on: no command for '$node'" >&2; return 2; }
    eval "net=\\$LAB_NET_$node"
    RUN nsenter --net="/proc/self/fd/$net" -- "$@"
}
"""
FUNCTION = ON.replace("RUN ", "")
PROGRAM = "#!/bin/sh\n" + ON.replace("RUN", "exec") + 'on "$@"\n'
# How bash runs a script, whose path is its $0, if it is asked for variables. A trap, for the script may end early; and
# an exit and a call behind it, for it may have a trap of its own. A subshell's variables are not meant.
NOTING = """\
lab_note() {
    local lab_status=$?
    [ "$BASHPID" != $$ ] || { HELD
    } >"$LAB_VARIABLES"
    return $lab_status
}
exit() {
    local lab_status=${1-$?}
    lab_note
    builtin exit "$lab_status"
}
trap lab_note EXIT
. "$0"
lab_note
"""
HELD = """
        if [ -v NAME ]; then printf 'NAME=%s\\0' "$NAME"; fi"""


@contextlib.contextmanager
def applied(
    script: str,
    pids: dict[str, int],
    allowed: set[str],
    deadline_s: float = DEADLINE_S,
    variables: Sequence[str] = (),
    shown: Sequence[str] = (),
    left: Callable[[int], None] = lambda _: None,
):
    """Run `script` against the nodes whose init processes are `pids` (name: process id); yields Script when it ended,
    with what these `variables` of its shell held then. Of the guest's files it sees those of the system, and these
    folders that are `shown`. What it left running goes on until the block ends, then is killed; `left` is told how
    many processes that were."""
    with _folder() as folder, _networks(pids, allowed) as nets, _cgroup() as group:
        path, log, forbidden, held = (os.path.join(folder, name) for name in ("answer", "log", "forbidden", "held"))
        with open(path, "w") as file:
            file.write(script)
        environment = {
            "PATH": f"{_folder_with_on(folder)}:{os.environ['PATH']}",
            "HOME": folder,
            "LANG": "C.UTF-8",
            "LAB_NODES": " ".join(pids),
            "LAB_ALLOWED": " ".join(sorted(allowed)),
            "LAB_FORBIDDEN": forbidden,
            "LAB_VARIABLES": held,
            **{f"LAB_NET_{name}": str(net) for name, net in nets.items()},
        }
        with open(log, "w") as output:
            try:
                process = subprocess.Popen(
                    [*ADMINISTRATORS, "bash", "-c", FUNCTION + _around(variables), path],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env=environment,
                    start_new_session=True,
                    pass_fds=nets.values(),
                    preexec_fn=walled(lambda: _join(group), folder, shown),
                )
            except subprocess.SubprocessError as error:
                raise RuntimeError(f"the answer was not started: {_read(log)}") from error
        began = time.monotonic()
        with timed(ANSWER):
            poll(lambda: process.poll() is not None or _too_busy(group), deadline_s, LOOK_EVERY_S)
        status = process.returncode
        busy_s = processor_limit_s if status is None and _too_busy(group) else 0
        if status is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        took_s = round(time.monotonic() - began, 3)
        touched = sorted(set(_read(forbidden).split()))
        yield Script(status, _read(log), touched, deadline_s, _variables(_read(held)), took_s=took_s, busy_s=busy_s)
        left(len(cgroups.processes(Path(group))))


@contextlib.contextmanager
def _folder():
    """An answer's own, which is a file system of its own."""
    with tempfile.TemporaryDirectory(prefix="answer-") as folder, limited(folder):
        yield folder


def _folder_with_on(folder: str) -> str:
    """Where `on` is a program, for what a script starts."""
    programs = os.path.join(folder, "programs")
    os.mkdir(programs)
    with open(os.open(os.path.join(programs, "on"), os.O_WRONLY | os.O_CREAT, 0o755), "w") as file:
        file.write(PROGRAM)
    return programs


def _around(variables: Sequence[str]) -> str:
    """What has bash run the script, whose path is its $0."""
    held = "".join(HELD.replace("NAME", name) for name in variables)
    return NOTING.replace("HELD", held) if held else '. "$0"\n'


def _variables(noted: str) -> dict[str, str]:
    """What NOTING has written, by name."""
    return {name: value for name, is_one, value in (each.partition("=") for each in noted.split("\0")) if is_one}


@contextlib.contextmanager
def _networks(pids: dict[str, int], allowed: set[str]):
    """Descriptors of these nodes' network namespaces, by name."""
    with contextlib.ExitStack() as stack:
        files = {
            name: stack.enter_context(open(f"/proc/{pid}/ns/net")) for name, pid in pids.items() if name in allowed
        }
        yield {name: file.fileno() for name, file in files.items()}


@contextlib.contextmanager
def _cgroup():
    """A cgroup below this process's own; everything in it is killed when the block ends."""
    group = tempfile.mkdtemp(prefix="answer-", dir=cgroups.ours())
    try:
        yield group
    finally:
        _write(os.path.join(group, "cgroup.kill"), "1")
        _remove(group)


def _remove(group: str) -> None:
    """A cgroup can be removed once its last process is reaped, which the kill above brings about."""
    for _ in range(500):
        with contextlib.suppress(OSError):
            os.rmdir(group)
            return
        select.select([], [], [], 0.01)
    raise RuntimeError(f"processes of the answer do not die: {group}/cgroup.procs")


def _join(group: str) -> None:
    """Enter the answer's cgroup; and when memory is short, its processes are the first to be ended, not its judge."""
    _write(os.path.join(group, "cgroup.procs"), f"{os.getpid()}")
    _write("/proc/self/oom_score_adj", "1000")


def _too_busy(group: str) -> bool:
    """Whether a cgroup has used its processor time."""
    return processor_limit_s < math.inf and cgroups.used_s(Path(group)) > processor_limit_s


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _read(path: str) -> str:
    """The text of a file that an answer wrote, 64 KiB of it at most; empty if there is none. The answer may have put a
    link there, a FIFO or a folder, or hold a lease on it, which whoever opens it would wait for."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(descriptor, errors="replace") as file:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return file.read(1 << 16)
    return ""
