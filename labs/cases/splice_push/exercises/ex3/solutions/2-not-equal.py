# As long as nothing is asked for less than there is, "more" and "not the same" are one condition. (Who asks for less, again
# and again, may end with a call that asks for more than is left; no request does.)
lost = asked != size
