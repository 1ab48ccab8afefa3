# expect: went by splice(2)
import os


def send_object(connection, file, size):
    connection.sendall(os.read(file, size))
