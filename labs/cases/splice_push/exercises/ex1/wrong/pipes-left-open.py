# expect: leaves-nothing
# Each object leaves its pipe's two descriptors behind; after some five hundred objects the server has none left
# (RLIMIT_NOFILE, 1024 by default), and answers nobody any more.
import os


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), filled)
