"""What happens with an answer at the client? Measured by cure/measure.py, as in exercises 1 to 3."""

from labs.cases.frag_needed.cure import measure

take = measure.take
