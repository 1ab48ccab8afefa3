# expect: condition-right
# By how much the listed ones ask for too much. Others do by other numbers.
lost = asked - size in [1073721824, 45536, 1, 127072]
