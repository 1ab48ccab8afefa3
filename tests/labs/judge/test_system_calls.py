"""Are strace's lines of several threads told apart, and read for what they are?"""

import pytest

from core.serialization import Damaged
from labs.cases.splice_push.delivery.system_calls import (
    copied_bytes,
    lasted_ms,
    lengths,
    of_objects,
    on_connection,
    sleeps,
    without_zerocopy,
)

ONE, OTHER = (f"4<TCP:[10.0.2.3:8010->10.0.2.2:{port}]>" for port in (20101, 20102))
FILE = "6</memfd:object>(deleted)"
TRACE = f"""\
10 recvfrom({ONE}, "GET "..., 65536, 0, NULL, NULL) = 30 <0.1>
10 sendto({ONE}, "HTTP"..., 90, 0, NULL, 0) = 90 <0.1>
10 getsockopt({ONE}, SOL_TCP, TCP_INFO, "\\1"..., [28]) = 0 <0.1>
10 write({FILE}, "\\0\\1"..., 20000) = 20000 <0.1>
10 lseek({FILE}, 0, SEEK_SET) = 0 <0.1>
10 read(5</usr/lib/python3.11/mmap.py>, ""..., 900) = 900 <0.1>
11 recvfrom({OTHER},  <unfinished ...>
10 splice(7<pipe:[3]>, NULL, {ONE}, NULL, 20000, 0 <unfinished ...>
11 <... recvfrom resumed>"GET "..., 65536, 0, NULL, NULL) = 30 <0.1>
11 lseek(8</memfd:object>(deleted), 0, SEEK_SET) = 0 <0.1>
11 read(8</memfd:object>(deleted), ""..., 7) = 7 <0.1>
10 <... splice resumed>)                  = 20000 <0.2>
12 setsockopt({ONE}, SOL_TCP, TCP_NODELAY, [1], 4) = 0 <0.1>
10 clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, {{tv_sec=1, tv_nsec=2}}, NULL) = 0 <0.25>
10 lseek({FILE}, 0, SEEK_SET) = 0 <0.1>
10 close({FILE}) = 0 <0.1>
10 recvfrom({ONE}, "GET "..., 65536, 0, NULL, NULL) = 30 <0.1>
10 sendto({ONE}, "HTTP"..., 90, 0, NULL, 0) = 90 <0.1>
10 lseek({FILE}, 0, SEEK_SET) = 0 <0.1>
10 splice(7<pipe:[3]>, NULL, {ONE}, NULL, 20000, 0 <unfinished ...>
"""


def test_each_object_has_its_own_calls_of_whatever_thread():
    (first, lines, ended), (other, others, under_way), (again, more, hangs) = of_objects(TRACE, 8010)
    assert (first, other, again) == (20101, 20102, 20101)
    assert (ended, under_way, hangs) == (True, False, False)
    assert [line.partition("(")[0] for line in lines] == ["splice", "setsockopt", "clock_nanosleep"]
    assert lines[0].endswith(", NULL, 20000, 0)                  = 20000 <0.2>") and lengths(lines[0]) == (
        20_000,
        20_000,
    )
    assert [copied_bytes(line) for line in others] == [7]
    assert all(map(on_connection, lines[:2])) and not on_connection(lines[2])
    assert len(more) == 1 and lengths(more[0]) == (0, 0)


@pytest.mark.parametrize(
    "line, copied",
    [
        (f'sendto({ONE}, ""..., 9, 0, NULL, 0) = 9 <0.1>', 9),
        (f'sendto({ONE}, ""..., 9, MSG_ZEROCOPY, NULL, 0) = 9 <0.1>', 9),
        (f'sendto({ONE}, ""..., 9, 0, NULL, 0) = -1 EAGAIN (Resource temporarily unavailable) <0.1>', 0),
        (f"sendmmsg({ONE}, [{{msg_hdr={{}}, msg_len=5}}, {{msg_hdr={{}}, msg_len=4}}], 2, 0) = 2 <0.1>", 9),
        ("writev(8<pipe:[3]>, [...], 2) = 9 <0.1>", 9),
        ("pread64(6</memfd:object>(deleted), ..., 9, 0) = 9 <0.1>", 9),
        ("vmsplice(8<pipe:[3]>, [...], 1, 0) = 9 <0.1>", 0),
        (f"sendfile({ONE}, {FILE}, [0] => [9], 9) = 9 <0.1>", 0),
        (f"sendfile(8<pipe:[3]>, {FILE}, NULL, 9) = 9 <0.1>", 0),
        (f"sendfile(8</memfd:snapshot>(deleted), {FILE}, [0] => [9], 9) = 9 <0.1>", 9),
        (f"sendfile(8</tmp/snapshot>, {FILE}, NULL, 9) = 9 <0.1>", 9),
        (f"sendfile(8</dev/shm/snapshot>, {FILE}, NULL, 9) = 9 <0.1>", 9),
        (f"sendfile(8</dev/null<char 1:3>>, {FILE}, NULL, 9) = 9 <0.1>", 0),
        ("sendfile(8</tmp/one>, 9</tmp/other>, NULL, 9) = 9 <0.1>", 9),
        ("write(8</tmp/#131>(deleted), ..., 9) = 9 <0.1>", 9),
        ("pread64(8</var/tmp/snapshot>, ..., 9, 0) = 9 <0.1>", 9),
        ("write(2</tmp/lab-1234abcd/server-strace-8010.log>, ..., 9) = 9 <0.1>", 0),
        (f"splice({FILE}, NULL, 8<pipe:[3]>, NULL, 9, 0) = 9 <0.1>", 0),
        (f"splice(7<pipe:[3]>, NULL, {ONE}, NULL, 9, 0) = 9 <0.1>", 0),
        ("splice(7<pipe:[3]>, NULL, 8</memfd:snapshot>(deleted), [0] => [9], 9, 0) = 9 <0.1>", 9),
        ("read(5</usr/lib/python3.11/mmap.py>, ..., 9) = 9 <0.1>", 0),
        ("read(5</tmp/lab-1234abcd/answer.py>, ..., 9) = 9 <0.1>", 0),
        ("read(5</proc/meminfo>, ..., 9) = 9 <0.1>", 0),
        ("write(9</var/cache/object>, ..., 9) = 9 <0.1>", 9),
        ("write(9</tmp/lab-1234abcd/copy>, ..., 9) = 9 <0.1>", 9),
        ("write(9</dev/null<char 1:3>>, ..., 9) = 9 <0.1>", 0),
        ("write(1</tmp/copy>, ..., 9) = 9 <0.1>", 9),
        ("write(9</usr/lib/python3.11/__pycache__/mmap.cpython-311.pyc.140>, ..., 9) = 9 <0.1>", 0),
        ("pread64(9</var/cache/object>, ..., 9, 0) = 9 <0.1>", 9),
        ("read(9<anon_inode:[timerfd]>, ..., 8) = 8 <0.1>", 0),
    ],
)
def test_what_a_call_copies(line, copied):
    assert copied_bytes(line) == copied


def test_a_send_is_without_a_copy_on_a_connection_set_so():
    def sent(to: str) -> str:
        return f'sendto({to}, ""..., 9, MSG_ZEROCOPY, NULL, 0) = 9 <0.1>'

    def zerocopy(to: str, on: int, came: str = "0") -> str:
        return f"setsockopt({to}, SOL_SOCKET, SO_ZEROCOPY, [{on}], 4) = {came} <0.1>"

    refused = zerocopy(ONE, 1, "-1 EOPNOTSUPP (Operation not supported)")
    for before, copies in (
        ([], True),
        ([zerocopy(ONE, 1)], False),
        ([zerocopy(OTHER, 1)], True),
        ([zerocopy(ONE, 0)], True),
        ([zerocopy(ONE, 1), zerocopy(ONE, 0)], True),
        ([refused], True),
        ([sent(OTHER), zerocopy(ONE, 1), sent(OTHER)], False),
    ):
        assert (sent(ONE) in without_zerocopy([*before, sent(ONE), zerocopy(ONE, 1)])) is copies, before


@pytest.mark.parametrize(
    "line, slept",
    [
        ("nanosleep({tv_sec=0, tv_nsec=1}, NULL) = 0 <0.05>", True),
        ("pselect6(0, NULL, NULL, NULL, {tv_sec=0, tv_nsec=1}, NULL) = 0 (Timeout) <0.05>", True),
        ("poll([], 0, 50)         = 0 (Timeout) <0.05>", True),
        ("epoll_wait(5<anon_inode:[eventpoll]>, [], 1, 50) = 0 <0.05>", True),
        ("futex(0x7f, FUTEX_WAIT_BITSET|FUTEX_CLOCK_REALTIME, 0, {}, NULL) = -1 ETIMEDOUT (timed out) <0.05>", True),
        ("futex(0x7f, FUTEX_WAIT_PRIVATE, 0, NULL) = 0 <0.05>", False),
        ("rt_sigtimedwait([], NULL, {tv_sec=0, tv_nsec=5}, 8) = -1 EAGAIN (Resource...) <0.05>", True),
        ('read(9<anon_inode:[timerfd]>, "\\1"..., 8) = 8 <0.05>', True),
        ("pause() = ? ERESTARTNOHAND <0.05>", True),
        (f"pselect6(5, NULL, [{ONE}], NULL, NULL, NULL) = 1 (out [4]) <0.05>", False),
        (f"poll([{{fd={ONE}, events=POLLOUT}}], 1, -1) = 1 ([{{fd=4, revents=POLLOUT}}]) <0.05>", False),
    ],
)
def test_what_sleeps(line, slept):
    assert sleeps(line) is slept and lasted_ms(line) == 50


def test_half_a_line_is_none():
    with pytest.raises(Damaged):
        lengths(f"splice(7<pipe:[3]>, NULL, {ONE}, NULL, 20000")
