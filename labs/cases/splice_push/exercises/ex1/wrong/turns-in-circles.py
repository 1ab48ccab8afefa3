# expect: in-time
# The same without a system call that could be seen: the processor turns in circles.
import os
import time


def send_object(connection, file, size):
    until = time.monotonic() + 0.6
    while time.monotonic() < until:
        pass
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), filled)
    os.close(out)
    os.close(into)
