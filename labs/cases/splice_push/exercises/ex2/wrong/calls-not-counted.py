# expect: calls
import os
import socket

CALLS = 1
COPIED_BYTES = 0


def send_object(connection, file, size):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), 1 << 30)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
    os.close(out)
    os.close(into)
