# Setting TCP_NODELAY, again and again, is a push: __tcp_sock_set_nodelay() ends in
# tcp_push_pending_frames(). One system call more for each object, no copy.
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
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    os.close(out)
    os.close(into)
