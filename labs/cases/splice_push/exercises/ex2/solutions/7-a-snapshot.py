# sendfile(2) knows what is in its own pipe. The first one fills a snapshot of the object, and copies each byte once,
# because a file is written through the page cache; the second sends the snapshot without a copy.
import os

CALLS = 1  # the second sendfile(); the first is on no connection
COPIED_BYTES = 20_000  # by the first sendfile(), into the snapshot's own pages


def sent(to, of, size):
    """All of it, from its beginning; asked for no more than there is."""
    at = 0
    while at < size:
        at += os.sendfile(to, of, at, size - at)


def send_object(connection, file, size):
    # Pages that are still queued at the socket are the file's own: who writes to it meanwhile changes what is sent. So
    # a snapshot is sent, to which nobody writes.
    snapshot = os.memfd_create("snapshot")
    try:
        sent(snapshot, file, size)
        sent(connection.fileno(), snapshot, size)
    finally:
        os.close(snapshot)
