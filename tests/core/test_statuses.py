"""Does a call end with the status that scripts rely on?"""

from core.statuses import STATUSES, VERDICTS, Status


def test_what_scripts_rely_on():
    assert {status.name: int(status) for status in Status} == {
        "HOLDS": 0,
        "FAILS": 1,
        "USAGE": 2,
        "COULD_NOT": 3,
        "COULD_NOT_TELL": 4,
        "INTERRUPTED": 130,
        "UNREAD": 141,
    }
    assert VERDICTS == {"PASS": 0, "FAIL": 1, "SKIP": 3, "COULD NOT TELL": 4}


def test_each_status_of_the_file_has_a_name():
    assert {status.name: int(status) for status in Status} == {name: each["number"] for name, each in STATUSES.items()}
