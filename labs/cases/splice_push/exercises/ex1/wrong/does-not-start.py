# expect: the server does not start
def send_object(connection, file, size)
    pass
