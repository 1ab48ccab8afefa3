# expect: several-clients
# A pipe for each object, and whoever is done leaves it to the next one. But a client that leaves in the middle leaves
# something in it, too: the next object begins with the end of that one.
import os

FREE = []


def send_object(connection, file, size):
    out, into = FREE.pop() if FREE else os.pipe()
    try:
        while size:
            filled = os.splice(file, into, size)
            size -= filled
            while filled:
                filled -= os.splice(out, connection.fileno(), filled)
    finally:
        FREE.append((out, into))
