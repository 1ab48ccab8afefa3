# expect: condition-right
# On every way some are lost and some are not.
lost = where == 'lo'
