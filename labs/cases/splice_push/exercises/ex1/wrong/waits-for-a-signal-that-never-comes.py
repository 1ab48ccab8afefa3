# expect: no-sleep
# As if the header's acknowledgment had to be waited for; and what sleeps has another name.
import os
import signal


def send_object(connection, file, size):
    signal.sigtimedwait([], 0.05)
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), filled)
    os.close(out)
    os.close(into)
