# A pipe may hold a megabyte (/proc/sys/fs/pipe-max-size): fewer parts, fewer calls. What is in it counts as before.
import fcntl
import os

PIPE_BYTES = 1 << 20


def send_object(connection, file, size):
    out, into = os.pipe()
    try:
        fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        sent = 0
        while sent < size:
            filled = os.splice(file, into, size - sent)
            sent += filled
            while filled > 0:
                filled -= os.splice(out, connection.fileno(), filled)
    finally:
        os.close(out)
        os.close(into)
