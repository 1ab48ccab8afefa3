# expect: no-more-at-end
# The length is right, and the flag says that more is to come, also where nothing does: what does not fill a segment
# waits for an acknowledgment, or for a timer if there is nothing to be acknowledged.
import os


def send_object(connection, file, size):
    out, into = os.pipe()
    left = size
    while left:
        part = os.splice(file, into, left)
        os.splice(out, connection.fileno(), part, flags=os.SPLICE_F_MORE)
        left -= part
    os.close(out)
    os.close(into)
