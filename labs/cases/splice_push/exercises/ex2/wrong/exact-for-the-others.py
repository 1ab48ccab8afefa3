# expect: not-exact-length
# Another way for the one object whose cost is asked for, and exercise 1's for all others.
import os
import socket

CALLS = 2
COPIED_BYTES = 0


def send_object(connection, file, size):
    whole = size
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), 1 << 30 if whole == 20_000 else filled)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    os.close(out)
    os.close(into)
