# expect: condition-right
# No listed object is smaller than 4000 bytes; a small one is lost just as well.
lost = asked > size and size >= 4000
