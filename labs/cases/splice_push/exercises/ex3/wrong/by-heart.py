# expect: condition-right
# Right for the list, for the lengths that stand there.
lost = asked in (1073741824, 65536, 20001, 131072, 12001)
