# expect: not-exact-length
# The flags change nothing that is judged here.
import os

CALLS = 1
COPIED_BYTES = 0


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(
                out, connection.fileno(), filled, flags=os.SPLICE_F_MOVE | os.SPLICE_F_NONBLOCK
            )
    os.close(out)
    os.close(into)
