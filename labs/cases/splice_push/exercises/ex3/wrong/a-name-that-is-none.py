# expect: expression
# The names are those of the columns.
lost = length > size
