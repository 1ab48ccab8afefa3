# expect: expression
while True:
    pass
