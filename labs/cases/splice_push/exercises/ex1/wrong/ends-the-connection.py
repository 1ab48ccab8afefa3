# expect: answers-again
# The end of the connection pushes everything, and is the end of the connection.
import os
import socket


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), filled)
    os.close(out)
    os.close(into)
    connection.shutdown(socket.SHUT_WR)
