"""What does the fixed card do, beside the server `mended`? Measured as in exercises 4 and 5, by card/measure.py."""

import functools

from labs.cases.rtl8139_tso.card import measure

take = functools.partial(measure.take, "mended")
