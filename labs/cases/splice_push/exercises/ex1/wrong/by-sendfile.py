# expect: splice-only
# In the kernel it is a splice, of a pipe that the kernel has; the task is about the program's own.
import os


def send_object(connection, file, size):
    sent = 0
    while sent < size:
        sent += os.sendfile(connection.fileno(), file, sent, size - sent)
