# Python's conditional expression, from the other side: what is asked for fits into the object, or it does not. One
# comparison is left, the kernel's own: is the page shorter than what is asked for?
lost = False if asked <= size else True
