# Request 7 asks for one byte more than there is and loses its end, 6 asks for what there is and does not:
# NOTLAST is set on a page if less is left in it than is asked for, and on the last page of the pipe that
# is so as soon as a single byte too many was asked for. No other column enters that comparison.
lost = asked > size
