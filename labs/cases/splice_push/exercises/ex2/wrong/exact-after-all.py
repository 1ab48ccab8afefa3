# expect: not-exact-length
import os
import socket

CALLS = 1
COPIED_BYTES = 0


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), filled)
    os.close(out)
    os.close(into)
