# With the length of what is in the pipe, the last page is as long as what is still asked for, so
# 'sd->len < sd->total_len' is false for it: it goes without MSG_SENDPAGE_NOTLAST, and do_tcp_sendpages()
# pushes, once, with all pages before it in the same buffer.
import os


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), filled)
    os.close(out)
    os.close(into)
