# A socket that takes a megabyte, and a pipe that holds one: a large object goes in one part. setsockopt(2) is a system
# call on the connection, too, and sends nothing; together they are no more than now.
import fcntl
import os
import socket

PIPE_BYTES = 1 << 20
DEFAULT_BYTES = 1 << 16  # of a pipe


def send_object(connection, file, size):
    if size > DEFAULT_BYTES:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, PIPE_BYTES)
    out, into = os.pipe()
    try:
        fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        while size:
            filled = os.splice(file, into, size)
            size -= filled
            while filled:
                filled -= os.splice(out, connection.fileno(), filled)
    finally:
        os.close(out)
        os.close(into)
