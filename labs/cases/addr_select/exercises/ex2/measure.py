"""What happens with an answer to exercise 2? Measured as in exercises 1 and 2, by cure/measure.py."""

from labs.cases.addr_select.cure.measure import take as take
