"""How is a call made again that says nothing, because the machine did not hold still? By tests/vm, and in the guest."""

from core.protocol import MOST_LOST


def conclusive(call, could_not_tell, lost):
    """What the call gives. A result that `could_not_tell` is lost, because the machine did not hold still, and the call
    made again, as often as a run of tests may lose one; `lost` writes down why, each time."""
    for _ in range(MOST_LOST):
        found = call()
        if not could_not_tell(found):
            return found
        lost("the machine did not hold still")
    return call()
