# expect: several-clients
# One pipe for all threads: while one client does not read, the others wait for the pipe, and what two put into it at
# the same time goes to either.
import os
import socket

CALLS = 2
COPIED_BYTES = 0
OUT, INTO = os.pipe()


def send_object(connection, file, size):
    while size:
        filled = os.splice(file, INTO, size)
        size -= filled
        while filled:
            filled -= os.splice(OUT, connection.fileno(), 1 << 30)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
