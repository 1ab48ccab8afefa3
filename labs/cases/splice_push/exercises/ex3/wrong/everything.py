# expect: condition-right
# True for all that are listed as lost, and for others.
lost = True
