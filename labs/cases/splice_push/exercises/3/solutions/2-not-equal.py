# As long as nothing is asked for less than there is, "more" and "not the same" are one condition. (Asking for
# less is right, too: then the page that was cut is the last one, and goes without the flag.)
lost = asked != size
