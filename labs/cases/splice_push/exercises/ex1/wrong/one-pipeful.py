# expect: delivered
# Right for what fits into the pipe, which was made four times as large; nobody comes back for the rest.
import fcntl
import os


def send_object(connection, file, size):
    out, into = os.pipe()
    room = fcntl.fcntl(out, fcntl.F_SETPIPE_SZ, 4 * 65536)
    os.splice(out, connection.fileno(), os.splice(file, into, min(size, room)))
    os.close(out)
    os.close(into)
