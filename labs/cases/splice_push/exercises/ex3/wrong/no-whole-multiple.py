# expect: condition-right
# Right for the list. What is asked for may be several times what there is, to the byte.
lost = asked % size != 0 and True or asked > 1 << 29
