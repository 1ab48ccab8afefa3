# expect: copied-bytes
import os

CALLS = 1
COPIED_BYTES = 0


def send_object(connection, file, size):
    connection.sendall(os.read(file, size))
