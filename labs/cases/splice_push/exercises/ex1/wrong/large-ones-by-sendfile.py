# expect: splice-only
# What does not fit into a pipe goes by sendfile(2), which has a pipe of the kernel's.
import os


def send_object(connection, file, size):
    while size > 200_000:
        size -= os.sendfile(connection.fileno(), file, None, 200_000)
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), filled)
    os.close(out)
    os.close(into)
