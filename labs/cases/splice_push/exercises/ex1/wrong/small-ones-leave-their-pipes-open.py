# expect: leaves-nothing
# What fits a page takes a shorter way out, past the end that closes the pipe.
import os


def send_object(connection, file, size):
    out, into = os.pipe()
    if size <= 4096:
        os.splice(out, connection.fileno(), os.splice(file, into, size))
        return
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), filled)
    os.close(out)
    os.close(into)
