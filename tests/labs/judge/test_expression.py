"""Is a reader's expression reckoned as Python would, and is nothing of it ever run?"""

import time

import pytest

from labs.judge import expression
from labs.judge.expression import NoExpression, parsed, value

NAMES = {"asked": 20_001, "size": 20_000, "where": "lo", "more": 1}


def reckoned(text):
    return value(parsed(text, "lost", NAMES), NAMES)


@pytest.mark.parametrize(
    "text",
    [
        "asked > size",
        "asked != size and not more == 0",
        "(asked - size) % 4096 >= 1 or where == 'client'",
        "0 < asked - size <= 1 < 2",
        "where in ('lo', 'proxy') and where not in ('client',)",
        "-size // 3 + 2 * more / 4 < +1.5",
        "more",
        "more and asked < size",
        "asked < size or more",
        "not (more and size)",
        "True and False or more",
    ],
)
def test_it_comes_to_what_python_says(text):
    assert bool(reckoned(f"# why\nlost = {text}\n")) is bool(eval(text, {}, dict(NAMES)))


@pytest.mark.parametrize(
    "text, found",
    [
        ("lost = open('/etc/passwd')", "Call"),
        ("lost = (lambda: 1)()", "Call"),
        ("lost = asked.real", "Attribute"),
        ("lost = [1 for one in where]", "ListComp"),
        ("lost = where[0]", "Subscript"),
        ("lost = 2 ** 2 ** 2 ** 2 ** 2", "Pow"),
        ("lost = 1 << asked", "LShift"),
        ("lost = length > 1", "name 'length' is none of asked"),
        ("lost = where * 1000000000", "arithmetic is for numbers, found 'lo'"),
        ("lost = 1 / 0", "division by zero"),
        ("lost = asked > where", "not supported between"),
        ("while True: pass", "found 1 statements"),
        ("import os\nlost = asked", "found 2 statements"),
        ("lost = other = asked", "expected one line"),
        ("found = asked", "expected one line"),
        ("lost = ", "invalid syntax"),
        ("lost = " + "(" * 5000 + "1" + ")" * 5000, ""),
        ("lost = " + "not " * 4900 + "1", ""),
        ("lost = " + "1 + " * 6000 + "1", "letters, expected"),
        ("lost = " + "9" * 5000 + " > 1", ""),
        ("lost = asked\0", ""),
    ],
    ids=lambda text: text[:30],
)
def test_what_is_no_expression_is_said(text, found):
    with pytest.raises(NoExpression) as said:
        reckoned(text)
    assert found in str(said.value)


def test_reckoning_has_a_deadline(monkeypatch):
    monkeypatch.setattr(expression, "DEADLINE_S", 0)
    with pytest.raises(NoExpression, match="not reckoned in 0 s"):
        reckoned("lost = asked > size")


def test_the_longest_is_soon_reckoned():
    start = time.monotonic()
    reckoned("lost = " + " * ".join(["9" * 400] * 45) + " > 1")
    assert time.monotonic() - start < expression.DEADLINE_S
