"""Which Python can start at once? One that was forked after the slow imports.

Under emulation matplotlib, scapy, mininet, bcc and ipykernel take some fifteen seconds to import.
This server imports them once, before the snapshot is taken. A client (fork_client.c) sends a
request and its three standard file descriptors over a unix socket; a child of this process then
runs the requested module as `python3 -m` would. The child gets a session and a cgroup of its own;
when the client goes away, everything in that cgroup is ended, so nothing outlives its caller.
"""

import gc
import importlib
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import traceback

SOCKET = "/run/lab/fork.sock"
FOLDER = "/root/lab"  # what the host sends is there, and every request is run there
CGROUPS = "/sys/fs/cgroup"
UNCAUGHT = 70  # sysexits.h, EX_SOFTWARE: an exception that nobody caught
LENGTH = struct.Struct("N")  # size_t
WARM_UP = "/usr/local/lib/lab/warm.sh"
WARM_PROGRAM = "int warm(void *ctx) { return 0; }"
# What is slow to import: by labs/ everywhere, and by it and notebooks in the VM.
EVERYWHERE = ("concurrent.futures.thread", "ssl", "tomllib", "mininet.net", "mininet.node")
HERE = (
    *("bcc", "ipykernel.ipkernel", "ipykernel.kernelapp", "matplotlib.pyplot", "matplotlib_inline.backend_inline"),
    *("scapy.layers.inet", "scapy.layers.inet6", "scapy.utils"),
)


def import_slow_things():
    """Import what notebooks and labs use, and make bcc's compiler resident, in a child."""
    os.nice(19)  # whoever logs in meanwhile goes first
    warm = subprocess.Popen([WARM_UP])  # beside the imports, which wait for the disk
    os.environ.update(OPENBLAS_NUM_THREADS="1", MPLBACKEND="Agg", PYDEVD_DISABLE_FILE_VALIDATION="1")
    import_all(EVERYWHERE + HERE)
    import bcc

    pid = os.fork()
    if pid == 0:
        # In a child: LLVM starts no thread here, but what it allocates should not be kept.
        program = bcc.BPF(text=WARM_PROGRAM)
        program.load_func("warm", bcc.BPF.KPROBE)
        os._exit(0)
    os.waitpid(pid, 0)
    warm.wait()
    freeze()
    os.setpriority(os.PRIO_PROCESS, 0, 0)


def import_all(names):
    """Import these modules."""
    for name in names:
        importlib.import_module(name)


def freeze():
    """Keep the collector from touching, and so copying, shared pages."""
    gc.collect()
    gc.freeze()


def serve():
    """Accept clients for ever; a keeper process looks after each."""
    if os.path.exists(SOCKET):
        os.unlink(SOCKET)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(SOCKET)
    os.chmod(SOCKET, 0o600)
    server.listen(64)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers are not waited for
    with open("/dev/console", "w") as console:
        console.write("lab: ready\n")
    while True:
        client, _ = server.accept()
        if os.fork() == 0:
            server.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            try:
                keep(client)
            finally:
                os._exit(0)
        client.close()


def keep(client):
    """Run one request; report its exit status; end all of it when the client is gone."""
    length, fds, _, _ = socket.recv_fds(client, LENGTH.size, 3)
    if len(fds) != 3 or len(length) != LENGTH.size:
        return
    request = receive(client, *LENGTH.unpack(length))
    group = os.path.join(CGROUPS, f"lab-{os.getpid()}")
    worker = begin(request, fds, group, client.close)
    for fd in fds:
        os.close(fd)
    pidfd = os.pidfd_open(worker)
    ready, _, _ = select.select([client, pidfd], [], [])
    if pidfd in ready:
        status = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
        client.sendall(str(status).encode())
    end(group)


def begin(request, fds, group, in_child=lambda: None):
    """Fork who works on a request, in a cgroup of that name; its process id."""
    os.mkdir(group)
    worker = os.fork()
    if worker == 0:
        in_child()
        work(request, fds, group)
    return worker


def receive(client, length):
    """The request of so many bytes, see fork_client.c: (variables, module and arguments)."""
    message = b""
    while len(message) < length:
        piece = client.recv(length - len(message))
        if not piece:
            sys.exit("the client ended in the middle of its request")
        message += piece
    words = [os.fsdecode(part) for part in message.split(b"\0")[:-1]]
    end_of_variables = words.index("")
    variables = dict(pair.split("=", 1) for pair in words[:end_of_variables])
    return variables, words[end_of_variables + 1 :]


def end(group):
    """Kill what is left in the cgroup and remove it."""
    with open(os.path.join(group, "cgroup.kill"), "w") as kill:
        kill.write("1")
    for _ in range(200):
        try:
            os.rmdir(group)
            return
        except OSError:
            select.select([], [], [], 0.01)


def work(request, fds, group):
    """Become `python3 -m MODULE ARGUMENTS` on the client's file descriptors. Does not return."""
    status = UNCAUGHT
    try:
        os.setsid()
        with open(os.path.join(group, "cgroup.procs"), "w") as procs:
            procs.write(str(os.getpid()))
        for target, fd in enumerate(fds):
            os.dup2(fd, target)
            os.close(fd)
        sys.stdout.reconfigure(line_buffering=True)
        variables, sys.argv = request
        os.chdir(FOLDER)
        os.environ.update(variables)
        sys.path[0] = FOLDER
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            status = stop.code or 0
        else:
            status = 1
            print(stop.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except OSError:
                pass
        os._exit(status)


if __name__ == "__main__":
    import_slow_things()
    serve()
