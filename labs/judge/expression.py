"""What does a reader's expression come to? It is read and reckoned here, and never run.

    lost = parsed(answer, "lost", {"asked", "size"})
    value(lost, {"asked": 20001, "size": 20000})

Known are names, numbers, words, comparisons, arithmetic, and, or, not. So there is nothing to call, and nothing to
wait for but reckoning, which has a deadline.
"""

from __future__ import annotations

import ast
import operator
import time
from collections.abc import Collection, Mapping

LONGEST = 20_000  # letters, of the whole text; no number in it can grow longer
DEADLINE_S = 1.0
ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
COMPARISONS = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, several: one in several,
    ast.NotIn: lambda one, several: one not in several,
}
SYNTAX = (
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.Tuple,
    ast.BoolOp,
    ast.And,
    ast.Or,
    ast.UnaryOp,
    ast.BinOp,
    ast.Compare,
    *ARITHMETIC,
    *COMPARISONS,
)


class NoExpression(ValueError):
    """It cannot be read or reckoned; the message says what was found."""


def parsed(text: str, called: str, names: Collection[str]) -> ast.expr:
    """The expression of the one line `called = …` of a text, comments aside. Raises NoExpression."""
    if len(text) > LONGEST:
        raise NoExpression(f"it has {len(text)} letters, expected {LONGEST} at most")
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NoExpression(str(error)) from error
    if not (
        len(body) == 1
        and isinstance(body[0], ast.Assign)
        and [target.id for target in body[0].targets if isinstance(target, ast.Name)] == [called]
        and len(body[0].targets) == 1
    ):
        raise NoExpression(f"expected one line `{called} = …`, found {len(body)} statements")
    for node in ast.walk(body[0].value):
        if not isinstance(node, SYNTAX):
            raise NoExpression(f"found {type(node).__name__} in it, which is none of what may be there")
        if isinstance(node, ast.Name) and node.id not in names:
            raise NoExpression(f"name {node.id!r} is none of {', '.join(names)}")
        if isinstance(node, ast.Constant) and not isinstance(node.value, (bool, int, float, str)):
            raise NoExpression(f"found {node.value!r} in it, expected numbers and words")
    return body[0].value


def value(expression: ast.expr, names: Mapping[str, object]) -> object:
    """What a parsed expression comes to with these values. Raises NoExpression."""
    until = time.monotonic() + DEADLINE_S
    try:
        return _value(expression, names, until)
    except (TypeError, ArithmeticError, ValueError, RecursionError) as error:
        raise NoExpression(str(error)) from error


def _value(node: ast.expr, names: Mapping[str, object], until: float):
    if time.monotonic() > until:
        raise NoExpression(f"it was not reckoned in {DEADLINE_S:g} s")

    def of(part: ast.expr):
        return _value(part, names, until)

    match node:
        case ast.Name():
            return names[node.id]
        case ast.Constant():
            return node.value
        case ast.Tuple():
            return tuple(map(of, node.elts))
        case ast.BoolOp():
            return (all if isinstance(node.op, ast.And) else any)(map(of, node.values))
        case ast.UnaryOp():
            return ARITHMETIC[type(node.op)](of(node.operand))
        case ast.BinOp():
            return ARITHMETIC[type(node.op)](_number(of(node.left)), _number(of(node.right)))
        case ast.Compare():
            sides = list(map(of, [node.left, *node.comparators]))
            return all(COMPARISONS[type(op)](*pair) for op, pair in zip(node.ops, zip(sides, sides[1:])))
    raise NoExpression(f"found {type(node).__name__} in it, which is none of what may be there")


def _number(found: object) -> int | float:
    """A word may be compared, and not reckoned with: it could be made as long as memory is."""
    if not isinstance(found, (int, float)):
        raise NoExpression(f"arithmetic is for numbers, found {found!r}")
    return found
