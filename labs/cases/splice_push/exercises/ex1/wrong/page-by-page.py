# expect: splice-a-pipeful
# Each page is pushed by itself: nothing waits, and nothing is put together any more.
import os


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), min(filled, 4096))
    os.close(out)
    os.close(into)
