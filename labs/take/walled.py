"""What can a reader's script, which is root in the guest, not reach? Whatever judges it: programs, files, processes,
sockets and the kernel's own settings, those of networks apart.

The script gets a system of its own, made of the guest's: a root file system to which it may write as it likes, for all
of it goes to a tmpfs above the guest's (an overlay); no device, no process, no socket and no network but its own; /sys
and /proc/sys to be read, and /proc/sys/net to be written. It keeps CAP_SYS_ADMIN, which setns(2) into the network of a
host takes, so the system calls by which that capability leads out of here are refused by a filter (seccomp(2)).

Because all of this is system calls between fork() and exec(), it costs milliseconds even under emulation.
"""

import contextlib
import ctypes
import errno
import functools
import os
import signal
from collections.abc import Callable, Sequence

# Of <sched.h>, <sys/mount.h> and <linux/mount.h>; os has no names for them before Python 3.12.
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET = 0x20000, 0x4000000, 0x8000000, 0x20000000, 1 << 30
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_MOVE, MS_REC, MS_PRIVATE = 2, 4, 8, 4096, 8192, 1 << 14, 1 << 18
MNT_DETACH, AT_FDCWD, AT_RECURSIVE, MOUNT_ATTR_RDONLY = 2, -100, 0x8000, 1

# Before the command of a script: what is left is an administrator's of networks.
ADMINISTRATORS = (
    "setpriv",
    "--bounding-set=-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+setfcap,"
    "+net_bind_service,+net_broadcast,+net_admin,+net_raw,+ipc_lock,+sys_nice,+sys_admin",
)
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
LARGEST = "size=64m"  # of what it may write, where it may
SHUT = ("acpi", "bus", "driver", "dynamic_debug", "fs", "irq", "pressure", "scsi", "tty")  # folders of /proc, too
EMPTY = ("sysrq-trigger", "kcore", "kmsg", "mtrr")  # and files of it

# What CAP_SYS_ADMIN allows and no network needs: another view of the file systems, a program in the kernel, a file by
# its number (open_by_handle_at) or by who opens it (fanotify). And keyrings, which are the user's everywhere.
REFUSED = (
    "mount umount2 pivot_root chroot fsopen fsconfig fsmount fspick open_tree move_mount mount_setattr "
    "open_by_handle_at fanotify_init fanotify_mark swapon swapoff quotactl quotactl_fd acct "
    "bpf perf_event_open init_module finit_module delete_module kexec_load kexec_file_load reboot "
    "settimeofday clock_settime adjtimex clock_adjtime iopl ioperm add_key request_key keyctl"
).split()
# libseccomp's SCMP_ACT_ALLOW, SCMP_ACT_ERRNO(EPERM) and (ENOSYS), SCMP_CMP_NE and SCMP_CMP_MASKED_EQ.
ALLOW, REFUSE, NO_SUCH_CALL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
NOT_EQUAL, MASKED_EQUAL = 1, 7
INT = 0xFFFFFFFF  # the kernel looks at no more of an argument that is an int
MADV_HWPOISON, MADV_SOFT_OFFLINE = 100, 101  # which take pages of memory away from everybody
AF_NETLINK, NETLINK_CRYPTO = 16, 21  # which orders the kernel's algorithms for everybody

_libc = ctypes.CDLL(None, use_errno=True)


class _Argument(ctypes.Structure):
    """struct scmp_arg_cmp: the number of a system call's argument, how it is compared, and with what."""

    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


def _arguments(*each: tuple[int, int, int, int]) -> ctypes.Array:
    return (_Argument * len(each))(*(_Argument(*values) for values in each))


@functools.cache
def _seccomp() -> ctypes.CDLL:
    return ctypes.CDLL("libseccomp.so.2")


@functools.cache
def _filter() -> Callable[[], None]:
    """Made once, a function that puts the filter on this process for good. System calls of another architecture, by
    which a filter of numbers could be passed by, end who makes them: that is libseccomp's default."""
    library = _seccomp()
    library.seccomp_init.restype = ctypes.c_void_p
    made = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(ALLOW)))
    rule = library.seccomp_rule_add_array
    rule.argtypes = (ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(_Argument))
    number = library.seccomp_syscall_resolve_name
    for name in REFUSED:
        _expect(rule(made, REFUSE, number(name.encode()), 0, None), name)
    # setns(fd, 0) would enter a namespace of any kind, and clone3() any cgroup. (The C library does without clone3().)
    _expect(rule(made, REFUSE, number(b"setns"), 1, _arguments((1, NOT_EQUAL, CLONE_NEWNET, 0))), "setns")
    _expect(rule(made, NO_SUCH_CALL, number(b"clone3"), 0, None), "clone3")
    for advice in (MADV_HWPOISON, MADV_SOFT_OFFLINE):
        _expect(rule(made, REFUSE, number(b"madvise"), 1, _arguments((2, MASKED_EQUAL, INT, advice))), "madvise")
    crypto = _arguments((0, MASKED_EQUAL, INT, AF_NETLINK), (2, MASKED_EQUAL, INT, NETLINK_CRYPTO))
    _expect(rule(made, REFUSE, number(b"socket"), 2, crypto), "socket")

    def load() -> None:
        _expect(library.seccomp_load(made), "seccomp_load()")

    return load


def walled(joined: Callable[[], None], folder: str, shown: Sequence[str] = ()) -> Callable[[], None]:
    """A function for subprocess.Popen's preexec_fn, with which the program starts inside: its working directory is
    `folder`, the only one that it shares with us; those in `shown` it may read. `joined` is called first, and puts the
    process into its cgroup.

    What Popen waits for ends with the program's status; a program that a signal has ended gives 128 and the signal's
    number, as a shell does. Whatever the program leaves behind goes on, and is ended by the cgroup.
    """
    load = _filter()

    def enter() -> None:
        try:
            inside()
        except OSError as error:  # of which Popen write_end nothing
            os.write(2, f"{error}".encode())
            raise

    def inside() -> None:
        joined()
        _done(_libc.unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET), "namespaces")
        _root(folder, shown)
        read_end, write_end = os.pipe()
        if os.fork():
            _wait_outside(read_end)
        _proc()
        load()  # for the first process too, which runs among files that the script may write
        program = os.fork()
        if program:
            _be_init(program, write_end)
        os.setsid()  # so that no signal of its group reaches who waits for it
        os.chdir(folder)
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)  # by the guest's own, its mode could be changed for everybody

    return enter


@contextlib.contextmanager
def limited(folder: str):
    """A small file system of its own at this path, for the length of the block: whatever is put there, as a tree of a
    thousand folders, takes nothing from others, and goes with it."""
    _mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, f"mode=700,{LARGEST},nr_inodes=16k")
    try:
        yield
    finally:
        _done(_libc.umount2(folder.encode(), MNT_DETACH), f"no file system at {folder}")


def _root(folder: str, shown: Sequence[str]) -> None:
    """The file systems, all but /proc, which shows the processes of whoever mounts it."""
    _mount(None, "/", None, MS_REC | MS_PRIVATE)
    base = "/mnt"
    _mount("tmpfs", base, "tmpfs", 0, f"mode=755,{LARGEST}")
    written, work, root = (os.path.join(base, name) for name in ("written", "work", "root"))
    for path in (written, work, root):
        os.mkdir(path)
    _mount("overlay", root, "overlay", 0, f"lowerdir=/,upperdir={written},workdir={work}")
    for path, mode in (("/tmp", "1777"), ("/run", "755"), ("/dev", "755")):
        _mount("tmpfs", root + path, "tmpfs", MS_NOSUID, f"mode={mode},{LARGEST}")
    for name in DEVICES:
        os.close(os.open(f"{root}/dev/{name}", os.O_CREAT))
        _mount(f"/dev/{name}", f"{root}/dev/{name}", None, MS_BIND)
        _read_only(f"{root}/dev/{name}")
    os.mkdir(f"{root}/dev/shm")
    os.chmod(f"{root}/dev/shm", 0o1777)  # where semaphores are
    for name, of in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{of}", f"{root}/dev/{name}")
    _mount("/sys", f"{root}/sys", None, MS_BIND)
    _read_only(f"{root}/sys")
    # The guest's, and not that of its own /proc, because whoever watches a file there (labs/net/written.py) watches an
    # inode of one mount.
    _mount("/proc/sys/net", f"{root}/mnt", None, MS_BIND)
    for path in (folder, *shown):
        os.makedirs(root + path, exist_ok=True)
        _mount(path, root + path, None, MS_BIND)
    for path in shown:
        _read_only(root + path)
    os.chdir(root)
    _done(_system_call("pivot_root", b".", b"."), "another root")
    _done(_libc.umount2(b".", MNT_DETACH), "no way back to the guest's root")
    os.chdir("/")


def _proc() -> None:
    """Mount /proc of the new namespace of processes. Of the kernel's settings those of networks may be written: which
    network, says who writes them (net/sysctl_net.c)."""
    _mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    for path in ("/proc/sys", *filter(os.path.exists, (f"/proc/{name}" for name in SHUT))):
        _mount(path, path, None, MS_BIND | MS_REC)
        _read_only(path)
    _mount("/mnt", "/proc/sys/net", None, MS_MOVE)
    for name in EMPTY:
        if os.path.exists(f"/proc/{name}"):
            _mount("/dev/null", f"/proc/{name}", None, MS_BIND)


def _be_init(program: int, write_end: int):
    """The first process of the namespace: reaps, and says how the program ended. Does not return."""
    os.dup2(write_end, 3)
    os.closerange(4, 1 << 16)
    while True:
        try:
            ended, how = os.wait()
        except ChildProcessError:
            os._exit(0)
        if ended == program:
            code = os.waitstatus_to_exitcode(how)
            os.write(3, bytes([code if code >= 0 else 128 - code]))


def _wait_outside(read_end: int):
    """Ends as the program did; by SIGKILL if nothing is said of it. Does not return."""
    os.dup2(read_end, 3)
    os.closerange(4, 1 << 16)  # what Popen reads, and the end of the pipe that is written, among them
    said = os.read(3, 1)
    os._exit(said[0] if said else 128 + signal.SIGKILL)


def _mount(what: str | None, where: str, kind: str | None, flags: int, data: str | None = None) -> None:
    words = [None if word is None else word.encode() for word in (what, where, kind)]
    _done(_libc.mount(*words, ctypes.c_ulong(flags), None if data is None else data.encode()), f"a mount at {where}")


def _read_only(path: str) -> None:
    """This mount, and all below it."""
    attributes = (ctypes.c_uint64 * 4)(MOUNT_ATTR_RDONLY, 0, 0, 0)  # struct mount_attr
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    _done(_system_call("mount_setattr", AT_FDCWD, path.encode(), AT_RECURSIVE, attributes, size), f"{path} read-only")


def _system_call(name: str, *arguments: object) -> int:
    """One that the C library has no function for, by this processor's number."""
    return int(_libc.syscall(_seccomp().seccomp_syscall_resolve_name(name.encode()), *arguments))


def _done(status: int, what: str) -> None:
    if status:
        number = ctypes.get_errno()
        raise OSError(number, f"expected {what} around the answer, found: {os.strerror(number)}")


def _expect(status: int, what: str) -> None:
    """Raise what went wrong in libseccomp, whose functions return the negated errno."""
    if status:
        raise OSError(-status, f"expected a filter of system calls, found of {what}: {os.strerror(-status)}")
