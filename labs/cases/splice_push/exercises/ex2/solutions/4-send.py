# send() copies the bytes into buffers of the socket's own, and ends in tcp_push(). One call; but every byte is touched by
# the processor twice, first by read() and then by send(), which is what splice(2) was to spare.
import os

CALLS = 1
COPIED_BYTES = 40000


def send_object(connection, file, size):
    connection.sendall(os.read(file, size))
