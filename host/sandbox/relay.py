"""How is the sshd of a guest reached that has no network in common with us? By bytes that are carried from a unix
socket to its port. Two programs in one file, which is run by itself and imports nothing of ours:

    relay.py serve FD PORT COMMAND...   on the guest's side: is COMMAND, and beside it carries what comes on the
                                        listening socket FD to PORT on loopback
    relay.py connect PATH               on ours: carries stdin and stdout, as ssh's ProxyCommand
"""

import contextlib
import os
import socket
import sys
import threading
import time
from collections.abc import Callable

PIECE_BYTES = 1 << 16


def serve(listening: socket.socket, port: int) -> None:
    """Each connection that comes, to the port and back."""
    while True:
        with contextlib.ExitStack() as closed:
            try:
                ours = closed.enter_context(listening.accept()[0])
                theirs = closed.enter_context(socket.create_connection(("127.0.0.1", port)))
                for one, other in ((ours, theirs), (theirs, ours)):
                    threading.Thread(target=_carry, args=(one.recv, other.sendall, other), daemon=True).start()
                closed.pop_all()  # theirs who carry it
            except (OSError, RuntimeError):  # the guest is not there yet; too many are open. Who connects tries again
                time.sleep(0.01)


def connect(path: str) -> None:
    """Stdin to the socket and the socket to stdout, until it ends."""
    with socket.socket(socket.AF_UNIX) as theirs:
        theirs.connect(path)

        def read(most: int) -> bytes:
            return os.read(0, most)

        def write(piece: bytes) -> None:
            while piece:
                piece = piece[os.write(1, piece) :]

        threading.Thread(target=_carry, args=(read, theirs.sendall, theirs), daemon=True).start()
        _carry(theirs.recv, write)


def _carry(read: Callable, write: Callable, to: socket.socket | None = None) -> None:
    with contextlib.suppress(OSError):
        while piece := read(PIECE_BYTES):
            write(piece)
    if to:
        with contextlib.suppress(OSError):
            to.shutdown(socket.SHUT_WR)


def main(words: list[str]) -> None:
    """What the command line says."""
    if words[0] == "connect":
        connect(words[1])
        return
    listening, port, command = socket.socket(fileno=int(words[1])), int(words[2]), words[3:]
    if os.fork():
        listening.close()  # ours; the monitor's, which is its own, it inherits
        os.execvp(command[0], command)
    serve(listening, port)


if __name__ == "__main__":
    main(sys.argv[1:])
