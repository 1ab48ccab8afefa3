# The length of what is in the pipe, and SPLICE_F_MORE where it is true: as long as another part follows. So the parts
# are put together, and the last one says nothing of the kind and is pushed to its end.
import os

SPLICE_F_MORE = 4  # include/linux/splice.h


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), filled, flags=SPLICE_F_MORE if size else 0)
    os.close(out)
    os.close(into)
