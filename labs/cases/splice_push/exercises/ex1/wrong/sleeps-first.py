# expect: no-sleep
# As if the header's acknowledgment had to be waited for. The object is whole, and not at once.
import os
import time


def send_object(connection, file, size):
    time.sleep(0.05)
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), filled)
    os.close(out)
    os.close(into)
