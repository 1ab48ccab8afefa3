# expect: not an expression
while True:
    pass
