# expect: delivered
# Splice flags do not matter: the call does not even look at them before it sets NOTLAST.
import os


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), 1 << 30, flags=os.SPLICE_F_MOVE)
    os.close(out)
    os.close(into)
