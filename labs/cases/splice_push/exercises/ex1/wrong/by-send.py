# expect: all-spliced
import os


def send_object(connection, file, size):
    connection.sendall(os.read(file, size))
