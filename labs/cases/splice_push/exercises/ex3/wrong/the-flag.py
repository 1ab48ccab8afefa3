# expect: and is said
# Two of those with MORE are delivered.
lost = more == 1
