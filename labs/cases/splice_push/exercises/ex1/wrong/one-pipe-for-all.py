# expect: several-clients
# Two system calls less for each object, and one pipe for all threads: while one client does not read, the others wait
# for the pipe, and what two put into it at the same time goes to either.
import os

OUT, INTO = os.pipe()


def send_object(connection, file, size):
    while size:
        filled = os.splice(file, INTO, size)
        size -= filled
        while filled:
            filled -= os.splice(OUT, connection.fileno(), filled)
