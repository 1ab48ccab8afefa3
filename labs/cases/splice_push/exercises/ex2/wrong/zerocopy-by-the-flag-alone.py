# expect: copied-bytes
# MSG_ZEROCOPY without SO_ZEROCOPY set on the socket is ignored, silently: this send() copies all of it.
from mmap import PROT_READ, mmap

MSG_ZEROCOPY = 0x4000000  # include/linux/socket.h; Python has no name for it

CALLS = 1
COPIED_BYTES = 0


def send_object(connection, file, size):
    with mmap(file, size, prot=PROT_READ) as pages:
        connection.sendall(pages, MSG_ZEROCOPY)
