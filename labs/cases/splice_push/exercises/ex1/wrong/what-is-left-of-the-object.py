# expect: exact-length
# What is left of the object is more than what is in the pipe, but for the last part.
import os


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), size + filled)
    os.close(out)
    os.close(into)
