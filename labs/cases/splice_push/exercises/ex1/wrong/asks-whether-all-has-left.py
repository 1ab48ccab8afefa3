# expect: few-calls
# The right length; and then the kernel is asked again and again how much has not been acknowledged yet.
import os
import socket
import struct


def send_object(connection, file, size):
    out, into = os.pipe()
    while size:
        filled = os.splice(file, into, size)
        size -= filled
        while filled:
            filled -= os.splice(out, connection.fileno(), filled)
    os.close(out)
    os.close(into)
    while struct.unpack_from("I", connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104), 24)[0]:
        pass
