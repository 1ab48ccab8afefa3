"""What does the server do? It sends an object by splice(2), asking for more than there is.

    python3 server.py PORT [FILE]

GET /SIZE answers with SIZE bytes. What comes after `?` says how they are sent: `way=splice` or `send`;
`asked`, the length given to splice(2), or `exact`; `more=1` adds SPLICE_F_MORE or MSG_MORE, `flags=11` has these bits
in splice(2)'s; `pieces=50` has 50 bytes in each of the pipe's buffers, and `surplus=8192` so many more in the pipe than
are sent; `room=4096` is the pipe's size; `used=13` has had so many pages go through it to another pipe, `teed=1` has
its pages from one by tee(2); `first=900` leaves so many bytes of the pattern out; `header=more` sends the header with
MSG_MORE, and `header=apart` by itself, with the object behind it at once; `sndbuf`, `nodelay`, `cork`, `keepalive` and
`close` are what they say. FILE, a Python file with a function
send_object(connection, file, size), sends in its own way.

Unless the header is held back itself, or sent `apart`, the object follows once the header has been acknowledged: an
ACK that comes later pushes what is queued by then.
"""

import contextlib
import ctypes
import fcntl
import os
import random
import runpy
import socket
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias
from urllib.parse import parse_qsl, urlsplit

ASKED_BYTES = 1 << 30  # what the report's client asked for: /?s=1g
PAGE_BYTES = 4096
SPLICE_F_MORE = 4  # include/linux/splice.h
ACKNOWLEDGED_S = 5.0  # what a header's ACK gets, on a busy machine
UNACKED = 24  # offset of tcpi_unacked in struct tcp_info (include/uapi/linux/tcp.h)
PATTERN = random.Random(2013).randbytes(1 << 20)  # noise, the same each time: no part of it is like another
Send: TypeAlias = Callable[[socket.socket, int, int], object]  # an object: to whom, from which file, how many bytes


def answer(connection: socket.socket, send_object: Send | None) -> bool:
    """Reads one request and answers it; False at the connection's end."""
    request = b""
    while not request.endswith(b"\r\n\r\n"):
        read = connection.recv(65536)
        if not read:
            return False
        request += read
    asked = urlsplit(request.split()[1].decode())
    size, how = int(asked.path.strip("/")), dict(parse_qsl(asked.query))
    prepare(connection, how)
    header = f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\nContent-Type: application/octet-stream\r\n\r\n"
    more = how.get("header") == "more"
    connection.send(header.encode(), socket.MSG_MORE if more else 0)
    if not (more or "cork" in how or how.get("header") == "apart"):
        acknowledged(connection)
    file, first = os.memfd_create("object"), int(how.get("first", 0))
    os.write(file, PATTERN[first : first + size])
    given, is_ours = os.dup(file), partial(os.path.samestat, os.fstat(file))
    os.lseek(file, 0, os.SEEK_SET)
    try:
        (send_object or partial(sends, how=how))(connection, given, size)
    finally:
        os.close(file)
        # Who sends the object may have closed it, and another thread may have its number by now.
        with contextlib.suppress(OSError):
            if is_ours(os.fstat(given)):
                os.close(given)
    return "close" not in how


def prepare(connection: socket.socket, how: Mapping[str, str]) -> None:
    """Socket options that a request asks for."""
    if "sndbuf" in how:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, int(how["sndbuf"]))
    for name in ("nodelay", "cork"):
        if name in how:
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, f"TCP_{name.upper()}"), 1)
    if "keepalive" in how:  # a probe each second
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1)


def acknowledged(connection: socket.socket) -> None:
    """Returns once nothing that was sent is in flight any more, or after ACKNOWLEDGED_S."""
    until = time.monotonic() + ACKNOWLEDGED_S
    while time.monotonic() < until:
        info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, UNACKED + 4)
        if not struct.unpack_from("I", info, UNACKED)[0]:
            return
        time.sleep(0.001)  # polling a state


def sends(connection: socket.socket, file: int, size: int, how: Mapping[str, str]) -> None:
    """The object, in the way that the request asks for."""
    more = how.get("more") == "1"
    if how.get("way") == "send":
        connection.sendall(os.read(file, size), socket.MSG_MORE if more else 0)
        return
    flags = int(how.get("flags", 0)) | (SPLICE_F_MORE if more else 0)
    out, into = os.pipe2(os.O_DIRECT if "pieces" in how else 0)  # O_DIRECT: a buffer for each write
    try:
        use(out, into, how)
        while left := fill(file, into, size, how):
            size -= left
            os.write(into, bytes(int(how.get("surplus", 0))))
            while left:
                asked = left if how.get("asked") == "exact" else int(how.get("asked", ASKED_BYTES))
                left -= os.splice(out, connection.fileno(), asked, flags=flags)
            if not size:
                break
    finally:
        os.close(out)
        os.close(into)


def use(out: int, into: int, how: Mapping[str, str]) -> None:
    """Makes the pipe as large as it is to be, and has pages go through it: splice(2) from a pipe to a pipe moves a
    buffer on, and leaves in its place what was written there (splice_pipe_to_pipe() in fs/splice.c)."""
    if "room" in how:
        fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, int(how["room"]))
    if used := PAGE_BYTES * int(how.get("used", 0)):
        other_out, other_into = os.pipe()
        if "room" in how:  # or they would not all find room there
            fcntl.fcntl(other_into, fcntl.F_SETPIPE_SZ, int(how["room"]))
        os.write(into, bytes(used))
        os.splice(out, other_into, used)
        os.close(other_out)
        os.close(other_into)


def fill(file: int, into: int, size: int, how: Mapping[str, str]) -> int:
    """Fills a pipe with the file's pages, as many as it holds, or with pieces of it; bytes filled."""
    if pieces_bytes := int(how.get("pieces", 0)):
        return sum(os.write(into, os.read(file, pieces_bytes)) for _ in range(size // pieces_bytes))
    if "teed" not in how:
        return os.splice(file, into, size)
    other_out, other_into = os.pipe()
    os.splice(file, other_into, size)
    filled: int = ctypes.CDLL(None, use_errno=True).tee(other_out, into, size, 0)
    os.close(other_out)
    os.close(other_into)
    return filled


def serve(connection: socket.socket, send_object: Send | None) -> None:
    """Request after request, until the client ends the connection."""
    with connection:
        try:
            while answer(connection, send_object):
                pass
        except (ConnectionError, BrokenPipeError):
            pass


def main(port: int, file: str | None = None) -> None:
    """Serves any number of connections, each in a thread, for ever."""
    tempfile.gettempdir()  # Python looks for the folder once, and writes in it; not while an object is sent
    send_object = runpy.run_path(file)["send_object"] if file else None
    listener = socket.create_server(("", port), backlog=64)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection, send_object), daemon=True).start()


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
