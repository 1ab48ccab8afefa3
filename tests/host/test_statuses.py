"""Does a call end with the same status on the host as in the guest, and as the documentation says?"""

import labs.errors
from host import errors


def test_host_and_guest_mean_the_same():
    assert dict(errors.Status.__members__) == dict(labs.errors.Status.__members__)
    assert errors.VERDICTS == labs.errors.VERDICTS


def test_what_scripts_rely_on():
    assert {status.name: int(status) for status in errors.Status} == {
        "HOLDS": 0,
        "FAILS": 1,
        "USAGE": 2,
        "COULD_NOT": 3,
        "COULD_NOT_TELL": 4,
        "INTERRUPTED": 130,
        "UNREAD": 141,
    }
    assert errors.VERDICTS == {"PASS": 0, "FAIL": 1, "SKIP": 3, "COULD NOT TELL": 4}
