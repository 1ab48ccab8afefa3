# Exercise splice-push/2: how the server sends an object, and what it costs. `connection` is the client's socket, `file` a
# descriptor at its beginning. The header has been sent.
import os

ASKED_BYTES = 1 << 30
CALLS = 1  # system calls on the connection for an object of 20000 bytes, the header not counted
COPIED_BYTES = 0  # bytes that system calls copy on its way from `file` to `connection`; one copied twice counts twice


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)  # at most what a pipe holds: 64 KiB
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), ASKED_BYTES)
    os.close(out)
    os.close(into)
