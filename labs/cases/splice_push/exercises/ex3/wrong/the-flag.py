# expect: condition-right
# Two of those with MORE are delivered.
lost = more == 1
