# expect: answers-again
# The end of the connection pushes everything. The same server has to answer again.
import os
import socket

CALLS = 2
COPIED_BYTES = 0


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), 1 << 30)
    connection.shutdown(socket.SHUT_WR)
    os.close(out)
    os.close(into)
