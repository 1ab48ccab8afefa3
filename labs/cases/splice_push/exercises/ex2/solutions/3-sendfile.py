# sendfile(2) splices through a pipe of its own and hands on what that pipe holds, exactly: the kernel
# does what exercise 1 did. No call more, no copy; but it needs a file, where splice(2) takes any pipe. And it is asked
# for no more than the file has: with a larger count a kernel before 6.5 says MSG_MORE by itself, also at the last page.
import os

CALLS = 1
COPIED_BYTES = 0


def send_object(connection, file, size):
    sent = 0
    while sent < size:
        sent += os.sendfile(connection.fileno(), file, sent, size - sent)
