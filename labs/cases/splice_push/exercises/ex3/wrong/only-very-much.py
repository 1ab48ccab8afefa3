# expect: condition-right
# One byte too many does it as well as a gigabyte.
lost = asked > 65536
