"""What does the plain server do? It sends back what it gets, at once: `python3 echo.py PORT`."""

import selectors
import socket
import sys


def main(port: int) -> None:
    """Serves any number of connections, for ever."""
    ready = selectors.DefaultSelector()
    listener = socket.create_server(("", port), backlog=64)
    ready.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in ready.select():
            if key.fileobj is listener:
                connection, _ = listener.accept()
                # Nagle's algorithm would hold back the second of two answers.
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                ready.register(connection, selectors.EVENT_READ)
            elif not echoed(key.fileobj):
                ready.unregister(key.fileobj)
                key.fileobj.close()


def echoed(connection: socket.socket) -> bool:
    """Sends back what has come; False at the connection's end."""
    try:
        data = connection.recv(65536)
        connection.sendall(data)
    except OSError:
        return False
    return bool(data)


if __name__ == "__main__":
    main(int(sys.argv[1]))
