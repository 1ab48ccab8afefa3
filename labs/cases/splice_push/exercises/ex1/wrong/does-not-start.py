# expect: starts
def send_object(connection, file, size)
    pass
