# expect: splice-only
# One call for several messages, which Python has no name for. It copies as send() does.
import ctypes
import os


class Buffer(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class Message(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_void_p),
        ("name_length", ctypes.c_uint32),
        ("buffers", ctypes.POINTER(Buffer)),
        ("buffer_count", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_length", ctypes.c_size_t),
        ("flags", ctypes.c_int),
        ("padding", ctypes.c_uint32),
        ("sent", ctypes.c_uint32),
    ]


def send_object(connection, file, size):
    while size:
        data = os.read(file, size)
        while data:
            kept = ctypes.create_string_buffer(data, len(data))
            buffer = Buffer(ctypes.addressof(kept), len(data))
            message = Message(None, 0, ctypes.pointer(buffer), 1, None, 0, 0, 0, 0)
            if ctypes.CDLL(None).sendmmsg(connection.fileno(), ctypes.byref(message), 1, 0) != 1:
                raise OSError("sendmmsg")
            data, size = data[message.sent :], size - message.sent
