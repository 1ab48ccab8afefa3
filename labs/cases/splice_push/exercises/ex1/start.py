# Exercise splice-push/1: how the server sends an object. `connection` is the client's socket, `file` a
# descriptor at its beginning. The header has been sent.
import os

ASKED_BYTES = 1 << 30


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)  # at most what a pipe holds: 64 KiB
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), ASKED_BYTES)
    os.close(out)
    os.close(into)
