# expect: all-spliced
# Less than a segment goes by send(), which copies it.
import os

SEGMENT_BYTES = 1448


def send_object(connection, file, size):
    if size < SEGMENT_BYTES:
        connection.sendall(os.read(file, size))
        return
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), filled)
    os.close(out)
    os.close(into)
