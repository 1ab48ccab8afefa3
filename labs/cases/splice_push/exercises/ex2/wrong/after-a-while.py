# expect: no-sleep
# The push comes once the pages have had time to gather.
import os
import socket
import time

CALLS = 2
COPIED_BYTES = 0


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), 1 << 30)
    time.sleep(0.08)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    os.close(out)
    os.close(into)
