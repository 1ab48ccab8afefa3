# What is asked for beyond the object's end, in bytes: any at all, and the last page is taken for one that is followed.
def excess(wanted, there_is):
    """In bytes."""
    return max(wanted - there_is, 0)


beyond_bytes: int = excess(asked, size)
lost = beyond_bytes >= 1
