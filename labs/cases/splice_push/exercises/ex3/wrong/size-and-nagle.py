# expect: condition-right
# Large and small are lost.
lost = size >= 20000 and nodelay == 0
