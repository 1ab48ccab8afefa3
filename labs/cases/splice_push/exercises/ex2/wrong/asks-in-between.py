# expect: calls
# The kernel is asked how much lies there unsent, and that is a system call on the connection, too.
import fcntl
import os
import socket
import termios

CALLS = 2
COPIED_BYTES = 0


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), 1 << 30)
    if fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4)) != bytes(4):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    os.close(out)
    os.close(into)
