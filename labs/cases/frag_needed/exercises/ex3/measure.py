"""What happens with an answer at the server? Measured by cure/measure.py, as in exercises 1 to 3."""

from functools import partial

from labs.cases.frag_needed.cure import measure
from labs.cases.frag_needed.exercises.ex3.judge import FOR_ANOTHER

take = partial(measure.take, for_another=FOR_ANOTHER)
