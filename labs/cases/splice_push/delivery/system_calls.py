"""Which system calls did a server make for an object, by strace's lines? Read where they are taken and where they are
judged.

    splice(7<pipe:[3]>, NULL, 4<TCP:[10.0.2.3:8010->10.0.2.2:20101]>, NULL, 20000, 0) = 20000 <0.000103>
"""

import re
from collections.abc import Iterable, Iterator

from core.serialization import Damaged

# What copies bytes, and from where or to where it does: the object's file, a pipe, the connection, or any other file.
# But what a server reads of its own code and of the system's files is none of it, nor what it says on 1 and 2, which go
# to the lab's own files.
READS = {"read", "pread64", "readv", "preadv", "preadv2", "recvfrom", "recvmsg"}
WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2", "sendto", "sendmsg", "sendmmsg", "copy_file_range"}
SENDS = WRITES | {"sendfile", "splice", "vmsplice", "tee"}
OF_OBJECT = re.compile(r"</memfd:|<pipe:|<TCP:|<UNIX")
INTO = re.compile(r"\((?![12]</tmp/lab-)\d+</(?!(?:dev/(?!shm/)|proc|sys)\b|[^>]*/__pycache__/)")
OUT_OF = re.compile(r"\(\d+</(?!(?:usr|lib\w*|etc|proc|sys|run|dev/(?!shm/))\b|[^>]*\.pyc?>)")
# What moves pages copies them where it ends in a file: it is written through the page cache (iter_file_splice_write()
# in fs/splice.c).
INTO_FILE = re.compile(r"(sendfile\(|splice\(\d+<pipe:\[\d+\]>, [^,]+, )\d+</(?!dev/(?!shm/))")
# send() goes by MSG_ZEROCOPY only where this is set on the connection (tcp_sendmsg_locked() in net/ipv4/tcp.c).
ZEROCOPY = re.compile(r"setsockopt\(\d+(<TCP:\[[^]]*\]>), SOL_SOCKET, SO_ZEROCOPY, \[(\d+)\], \d+\)\s+= 0")
# What waits for time alone, or for something else until time is up.
SLEEPS = re.compile(
    r"(clock_)?nanosleep\(|(select|pselect6|poll|ppoll|epoll_p?wait2?)\(.*\)\s+= 0 |futex\(.*\)\s+= -1 ETIMEDOUT"
    r"|(rt_sigtimedwait|semtimedop|mq_timedreceive)\(|pause\(|read\(\d+<anon_inode:\[timerfd\]>"
)
CONNECTION = re.compile(r"<TCP:\[[^]]*->")
UNFINISHED, RESUMED = " <unfinished ...>", re.compile(r"<\.\.\. \w+ resumed>")
RETURNED = re.compile(r"\)\s+= (-?\d+)")
LASTED = re.compile(r"<(\d+\.\d+)>$")
ASKED = re.compile(r", (\d+), [^,]*\)\s+= ")
MESSAGES = re.compile(r"msg_len=(\d+)")


def name(line: str) -> str:
    """The name of the call in a line of strace."""
    return line.partition("(")[0]


def returned(line: str) -> int | None:
    """What the call returned; None if it did not."""
    found = RETURNED.search(line)
    return int(found[1]) if found else None


def on_connection(line: str) -> bool:
    """Whether the call is given a connection."""
    return bool(CONNECTION.search(line))


def sleeps(line: str) -> bool:
    """Whether nothing but time ended the call."""
    return bool(SLEEPS.match(line))


def lasted_ms(line: str) -> float:
    """How long the call took, by strace."""
    found = LASTED.search(line)
    return float(found[1]) * 1e3 if found else 0.0


def lengths(line: str) -> tuple[int, int]:
    """(bytes asked for, bytes moved or -1) by the line of a splice(2), whatever its flags; it may not have returned."""
    if line.endswith(UNFINISHED):
        return 0, 0
    found, moved = ASKED.search(line), returned(line)
    if not found or moved is None:
        raise Damaged(f"expected a whole line of strace, found {line}")
    return int(found[1]), moved


def without_zerocopy(lines: Iterable[str]) -> Iterator[str]:
    """The lines, in their order, but for calls that send without a copy, because their connection was set so before."""
    on: set[str] = set()
    for line in lines:
        if found := ZEROCOPY.match(line):
            (on.add if int(found[2]) else on.discard)(found[1])
        if "MSG_ZEROCOPY" not in line or not any(connection in line for connection in on):
            yield line


def copied_bytes(line: str) -> int:
    """How many bytes of an object the call copies, if it is none of those that without_zerocopy() takes out."""
    if not INTO_FILE.match(line) and not _copies(line):
        return 0
    if name(line) == "sendmmsg":
        return sum(map(int, MESSAGES.findall(line)))
    return max(returned(line) or 0, 0)


def _copies(line: str) -> bool:
    """Whether the call copies bytes that may be an object's."""
    kind = name(line)
    files = INTO if kind in WRITES else OUT_OF
    return kind in READS | WRITES and bool(OF_OBJECT.search(line) or files.search(line))


def of_objects(trace: str, server_port: int) -> Iterator[tuple[int, list[str], bool]]:
    """Each object that server.py sent, in the order in which it was begun: the client's port, the calls while
    send_object() had it, of whatever thread or process, and whether it has ended. What server.py itself does before is
    to seek the file's beginning, and after it to close its own descriptor of the file, which send_object() has not."""
    whole = list(whole_lines(trace))
    connection = re.compile(rf"<TCP:\[[^]]*:{server_port}->[^]]*:(\d+)\]>")
    asked = [(thread, connection.search(line)) for thread, line in whole if line.startswith("recvfrom(")]
    servers, asks = {thread for thread, found in asked if found}, {}
    for at, (thread, line) in enumerate(whole):
        if line.startswith("recvfrom(") and (found := connection.search(line)):
            asks[thread] = int(found[1])  # the request that is answered next
        begun = re.match(r"lseek\((\d+)</memfd:object>.* 0, SEEK_SET\)", line)
        if begun and thread in asks:
            port, rest, ends = asks.pop(thread), whole[at + 1 :], f"close({begun[1]}</memfd:object>"
            end = next((n for n, (whose, line) in enumerate(rest) if whose == thread and line.startswith(ends)), None)
            others = servers - {thread}
            yield (
                port,
                [one for whose, one in rest[:end] if whose not in others and _counts(one, port, whose == thread)],
                end is not None,
            )


def whole_lines(trace: str) -> Iterator[tuple[str, str]]:
    """(thread, line) of each call, where it began; what came of it is at its end, though others were between."""
    found: list[list[str]] = []
    under_way: dict[str, int] = {}
    for thread, line in (each.split(None, 1) for each in trace.splitlines() if " " in each):
        if resumed := RESUMED.match(line):
            if (at := under_way.pop(thread, None)) is not None:
                found[at][1] = found[at][1].removesuffix(UNFINISHED) + line[resumed.end() :]
            continue
        if line.endswith(UNFINISHED):
            under_way[thread] = len(found)
        found.append([thread, line])
    return ((thread, line) for thread, line in found)


def _counts(line: str, port: int, own: bool) -> bool:
    """Whether a call is on the connection, or copies, or sleeps. Threads wait for Python's lock as for time: only the
    `own` thread's futexes are looked at."""
    asleep = sleeps(line) and (own or not line.startswith("futex("))
    return f":{port}]>" in line or copied_bytes(line) > 0 or asleep
