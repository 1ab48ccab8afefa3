# The comparison of page_to_socket() as a function: desc->len < desc->total_len, for the last page in the pipe.
def lost(asked, size):
    return size < asked
