"""What happens with an answer at the balancer? Measured as in exercises 1 to 3, by cure/measure.py."""

from labs.cases.frag_needed.cure.measure import take as take
