# What a pipe is filled with need not be a file's pages: read() copies each byte once, write() into the pipe once more.
# From the pipe on nothing is copied, and TCP_NODELAY pushes, as in the first solution.
import os
import socket

CALLS, COPIED_BYTES = 2, 2 * 20_000


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.write(into, os.read(file, min(size, 65536)))
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), 1 << 30)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    os.close(out)
    os.close(into)
