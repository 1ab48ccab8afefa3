"""Does a recording lead to the same conclusions as the book, on whatever machine it was made?

`book/_recordings/<case>.conclusions.py` holds them as Python, one function each, in the order in which the pages draw
them; `looks.conclusions.py` those that hold of every case's looks. A conclusion is an order, a ratio or a
truth, never a figure of its own::

    def b_waits_longer(run):
        "B waits at least five times as long as A."
        assert run.direct.b_ms >= 5 * run.direct.a_ms

Its docstring is what the page says. Its arguments are parts of the recording, by their names in its JSON; of these,
what JSON calls an object has its members as attributes too. All of it is data: none of it is called, or named in code.
"""

import ast
import inspect
import json
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from host.errors import LabError


class Recorded(dict):
    """An object of a recording: `run["direct"]`, or `run.direct`."""

    def __missing__(self, key):
        raise LookupError(f"there is no {key!r} in {', '.join(self)[:300]}")

    def __getattr__(self, name: str):
        return self[name]


def changed(file: Path, recording: dict) -> list[str]:
    """Each conclusion of the file that this recording does not lead to, with the line and the values behind it."""
    found: dict[str, Any] = {}
    exec(compile(file.read_text("utf-8"), file, "exec", optimize=0), found)  # asserts stay, whatever Python is told
    conclusions = [each for each in found.values() if inspect.isfunction(each)]
    if not conclusions:
        raise LabError(f"{file.name}: expected at least one conclusion, a function, found none", f"edit {file}")
    known = json.loads(json.dumps(recording), object_hook=Recorded)
    return [fault for each in conclusions if (fault := _fault(file, each, known))]


def _fault(file: Path, conclusion: Callable, known: Recorded) -> str:
    """What this conclusion says, and why it does not follow; nothing if it does."""
    try:
        conclusion(**{name: known[name] for name in inspect.signature(conclusion).parameters})
    except Exception as error:  # what a recording lacks, or has of another kind, may end an expression in any way
        says = f"{' '.join((conclusion.__doc__ or conclusion.__name__).split())}\n    {file.name}"
        cause = f": {error}" if str(error) else ""
        at = [
            (frame, line)
            for frame, line in traceback.walk_tb(error.__traceback__)
            if frame.f_code is conclusion.__code__
        ]
        if not at:
            return f"{says}: cannot be evaluated{cause}"
        frame, line = at[0]
        if not isinstance(error, AssertionError):
            return f"{says}, line {line}: cannot be evaluated{cause}"
        test = next(
            node.test
            for node in ast.walk(ast.parse(file.read_text("utf-8")))
            if isinstance(node, ast.Assert) and node.lineno <= line <= (node.end_lineno or node.lineno)
        )
        return f"{says}, line {line}: {ast.unparse(test)}{cause}\n    with {_values(test, frame)}"
    return ""


def _values(test: ast.expr, frame: FrameType) -> str:
    """The paths in an assertion (`run.direct.b_ms`) with the values that they have."""
    inner = {id(getattr(node, part, None)) for node in ast.walk(test) for part in ("value", "func")}
    said = {}
    for node in ast.walk(test):
        if isinstance(node, ast.Attribute | ast.Subscript) and id(node) not in inner:
            try:
                found = eval(compile(ast.Expression(node), "", "eval"), frame.f_globals, frame.f_locals)
            except Exception:  # the variable of an all() or any() has no value of its own
                continue
            said[ast.unparse(node)] = str(found)[:80]
    return ", ".join(f"{path} = {found}" for path, found in said.items())
