"""What happens with an answer to exercise 2? Measured by cure/measure.py, as in exercises 1 and 2."""

from labs.cases.addr_select.cure import measure

take = measure.take
