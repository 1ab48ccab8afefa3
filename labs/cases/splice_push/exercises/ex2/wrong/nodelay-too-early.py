# expect: delivered
# Set before anything is written there is nothing to push; the option itself concerns Nagle's algorithm.
import os
import socket

CALLS = 2
COPIED_BYTES = 0


def send_object(connection, file, size):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), 1 << 30)
    os.close(out)
    os.close(into)
