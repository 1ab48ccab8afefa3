# expect: no-timer
# Whole, and not at once: what does not fill a segment lies under the cork until a timer has run out.
import os
import socket


def send_object(connection, file, size):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), filled)
    os.close(out)
    os.close(into)
