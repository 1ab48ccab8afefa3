# expect: and is said
# On every way some are lost and some are not.
lost = where == 'lo'
