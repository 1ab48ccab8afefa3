"""Is a reader's expression reckoned as Python would, and is nothing of it ever run?"""

import itertools
import time

import pytest

from core.judge import expression
from core.judge.expression import NoExpression, constants, numbers, parsed, value

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
        "True if asked > size else False",
        "1 if where == 'client' else 0 if more else 2",
        "max(asked, size) > size and min(asked, size, 5) == 5",
        "abs(size - asked) == 1 and any((False, more)) and not all([more, 0])",
        "bool(asked > size) & (more == 1) | (int(2.5) ^ 2)",
        "asked > 1 << 14 and 2**14 < asked >> 0",
        "(asked > size) is True and (more is not False)",
        "where in {'lo', 'proxy'} and [where, more] == ['lo', 1]",
        "asked and size",
    ],
)
def test_it_comes_to_what_python_says(text):
    assert bool(reckoned(f"# why\nlost = {text}\n")) is bool(eval(text, {}, dict(NAMES)))


@pytest.mark.parametrize(
    "text",
    [
        "lost = asked > size",
        "lost: bool = asked > size",
        "excess = asked - size\nlost = excess > 0",
        "def too_much(one, other):\n    return one > other\n\nlost = too_much(asked, size)",
        "too_much = lambda one, other: one > other\nlost = too_much(asked, size)",
        '"""Why."""\ndef lost(size: int, asked: int) -> bool:\n    """More."""\n    return asked > size',
        "lost = lambda asked, size: asked > size",
        "edge = size\ndef more_than(asked):\n    return asked > edge\nlost = more_than(asked)",
        "lost = False\nlost = asked > size",
    ],
)
def test_names_and_functions_of_one_line_may_stand_before_it(text):
    expression = parsed(text, "lost", NAMES)
    for size in (19_999, 20_000, 20_001, 20_002):
        assert bool(value(expression, NAMES | {"size": size})) is (20_001 > size)


def test_a_function_sees_its_own_names_and_no_caller_s():
    text = "one = 1\ndef of():\n    return one\ndef other(one):\n    return of() + one\nlost = other(5)"
    assert reckoned(text) == 6


def test_its_numbers_are_known():
    assert constants(parsed("def f(a):\n    return a > 7\nlost = f(asked - 20) or size == 1e3", "lost", NAMES)) == {
        7,
        20,
        1000,
    }
    found = constants(parsed("lost = asked < 2**31 or size > 1 << 70 or size // 0 > 4 * size", "lost", NAMES))
    assert found == {0, 1, 2, 4, 31, 70, 1 << 31}


@pytest.mark.parametrize(
    "text, found",
    [
        ("lost = open('/etc/passwd')", "name 'open' is none of asked"),
        ("lost = max(asked, key=abs)", "Call"),
        ("lost = min(*where)", "Starred"),
        ("lost = max", "comes to a function"),
        ("lost = abs(where)", "bad operand"),
        ("lost = int(where)", "arithmetic is for numbers"),
        ("lost = asked(1)", "expected a function, found 20001"),
        ("min = 1\nlost = asked", "'min' is given a meaning"),
        ("asked = 1\nlost = asked", "'asked' is given a meaning"),
        ("def lost(request):\n    return request > 1", "expected a function of asked"),
        ("def f(a=1):\n    return a\nlost = f()", "plain arguments"),
        ("def f(a):\n    return a\nlost = f()", "of 1 arguments is given 0"),
        ("def f(a):\n    while a:\n        pass\n    return a\nlost = f(1)", "functions of one line"),
        ("f = lambda a: a\ndef f(a):\n    return f(a)\nlost = f(1)", "recursion"),
        ("@abs\ndef lost(asked):\n    return asked", "functions of one line"),
        ("a = (1, 2)\n" + "a = (a, a)\n" * 40 + "lost = a == a", "values in it at most"),
        ("a = 9 ** 9\n" + "a = a * a\n" * 40 + "lost = a > 1", "grows too large"),
        ("lost = 2 ** 65", "powers up to 64"),
        ("lost = (lambda: 1)()", "Call"),
        ("lost = asked.real", "Attribute"),
        ("lost = [1 for one in where]", "ListComp"),
        ("lost = where[0]", "Subscript"),
        ("lost = 2 ** 2 ** 2 ** 2 ** 2", "powers up to 64"),
        ("lost = 1 << asked", "powers up to 64"),
        ("lost = length > 1", "name 'length' is none of asked"),
        ("lost = where * 1000000000", "arithmetic is for numbers, found 'lo'"),
        ("lost = 1 / 0", "division by zero"),
        ("lost = asked > where", "not supported between"),
        ("while True: pass", "found While"),
        ("import os\nlost = asked", "found Import"),
        ("lost = other = asked", "found Assign"),
        ("found = asked", "expected a line `lost = …`"),
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


@pytest.mark.parametrize(
    "text, found",
    [
        ("A = 20_000\nimport os\ndef f(a):\n    return a", {"A": 20_000}),
        ("A: int = 0x10\nB: int", {"A": 16}),
        ("A, (B, C) = 1, (2, 3)", {"A": 1, "B": 2, "C": 3}),
        ("A = B = 2 * 10_000\nB += 1", {"A": 20_000, "B": 20_001}),
        ("A = 1\nA = f()", {}),
        ("A = 1\nif A:\n    A = 2", {"A": 1}),
        ("A = True\nB = '1'\nC = 1, 2", {}),
        ("A, B = C", {}),
    ],
)
def test_numbers_of_a_program_are_read_and_it_is_not_run(text, found):
    assert numbers(text) == found


def test_numbers_of_no_program_are_none():
    with pytest.raises(NoExpression, match="invalid syntax"):
        numbers("A = ")


def test_reckoning_has_a_deadline(monkeypatch):
    monkeypatch.setattr(expression, "DEADLINE_S", 0)
    with pytest.raises(NoExpression, match="not reckoned in 0 s"):
        reckoned("lost = asked > size")


def test_the_longest_is_soon_reckoned():
    start = time.thread_time()
    reckoned("lost = " + " * ".join(["9" * 400] * 45) + " > 1")
    assert time.thread_time() - start < expression.DEADLINE_S


def test_another_load_turns_no_verdict(monkeypatch):
    """The processor was away for long; the deadline is of what the expression itself takes of it."""
    clock = itertools.count(step=10 * expression.DEADLINE_S)
    monkeypatch.setattr(expression.time, "monotonic", lambda: next(clock))
    assert reckoned("lost = asked > size") is not None
