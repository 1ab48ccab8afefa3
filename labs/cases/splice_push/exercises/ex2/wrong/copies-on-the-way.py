# expect: copied-bytes
# splice(2) copies nothing; writev() into the pipe does, from pages that are mapped.
import mmap
import os
import socket

CALLS = 2
COPIED_BYTES = 0


def send_object(connection, file, size):
    out, into = os.pipe()
    with mmap.mmap(file, size, prot=mmap.PROT_READ) as pages:
        view, at = memoryview(pages), 0
        while at < size:
            filled = os.writev(into, [view[at : at + 65536]])
            at += filled
            while filled:
                filled -= os.splice(out, connection.fileno(), 1 << 30)
        view.release()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    os.close(out)
    os.close(into)
