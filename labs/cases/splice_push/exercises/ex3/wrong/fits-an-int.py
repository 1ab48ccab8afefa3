# expect: condition-right
# "Or more" ends only where splice(2) does: it takes a size_t, and 2147483648 of 20000 loses its end as 1073741824 does.
most = 2**31  # a length that fits into no int, the kernel would refuse
lost = size < asked < most
