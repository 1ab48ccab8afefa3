"""Does a recording lead to the same conclusions as the book, on whatever machine it was made?

`book/_recordings/<case>.invariants.toml` holds them as data, in the order in which the pages draw
them. A conclusion is an order, a ratio or a truth, never a figure of its own::

    [[conclusion]]
    says = "B waits at least five times as long as A."
    holds = "run.direct.b_ms >= 5 * run.direct.a_ms"

`holds` is an expression over the recording's JSON: paths (`run.direct.b_ms`, `run.ways[0].name`,
`again["some key"]`), numbers, words, lists, arithmetic, comparisons (chained ones too), `in`, `not`, `and`,
`or`, `len()`, `min()`, `max()`, `abs()`, `sum()`, and `all(… for x in …)` or `any(… for x in …)`.
"""

import ast
import operator
import tomllib
from pathlib import Path
from typing import Any

from host.errors import LabError

FUNCTIONS = {"len": len, "min": min, "max": max, "abs": abs, "sum": sum, "all": all, "any": any}
CONSTANTS = {"true": True, "false": False, "null": None}
ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
COMPARISONS = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
    ast.In: lambda part, whole: part in whole, ast.NotIn: lambda part, whole: part not in whole,
}


class Unreadable(ValueError):
    """An expression that cannot be evaluated: what was expected, and what was found."""


def changed(file: Path, recording: dict) -> list[str]:
    """Each conclusion of the file that this recording does not lead to, with the values behind it."""
    conclusions = tomllib.loads(file.read_text("utf-8")).get("conclusion", [])
    if not conclusions:
        raise LabError(f"{file.name}: expected at least one [[conclusion]], found none", f"edit {file}")
    found = []
    for conclusion in conclusions:
        says, holds = conclusion["says"], conclusion["holds"]
        try:
            if value(holds, recording) is not True:
                found.append(f"{says}\n    {holds}\n    with {shown(holds, recording)}")
        except Unreadable as error:
            found.append(f"{says}\n    {holds}\n    cannot be evaluated: {error}")
    return found


def value(expression: str, recording: dict) -> Any:
    """What an expression comes to."""
    try:
        tree = parsed(expression)
    except SyntaxError as error:
        raise Unreadable(f"{error.msg} at column {error.offset}") from None
    try:
        return _Evaluation(recording).visit(tree.body)
    except Unreadable:
        raise
    except (TypeError, ValueError, ZeroDivisionError) as error:  # min() of nothing is a ValueError
        raise Unreadable(str(error)) from None


def parsed(expression: str) -> ast.Expression:
    """The expression's tree; it may go over several lines."""
    return ast.parse(f"({expression.strip()}\n)", mode="eval")


def shown(expression: str, recording: dict) -> str:
    """The paths of an expression with the values that they have."""
    paths = [node for node in ast.walk(parsed(expression))
             if isinstance(node, (ast.Attribute, ast.Subscript))]
    inner = {id(node.value) for node in paths}
    said = {}
    for node in paths:
        if id(node) not in inner:
            try:
                said[ast.unparse(node)] = str(_Evaluation(recording).visit(node))[:80]
            except Unreadable:  # the variable of an all() or any() has no value of its own
                continue
    return ", ".join(f"{path} = {found}" for path, found in said.items())


class _Evaluation(ast.NodeVisitor):
    """Walks an expression; what is not allowed in one has no method here."""

    def __init__(self, names: dict) -> None:
        self.names = CONSTANTS | names

    def generic_visit(self, node: ast.AST) -> Any:
        raise Unreadable(f"{type(node).__name__} is no part of a conclusion: see host/recording/conclusions.py")

    def visit_Constant(self, node: ast.Constant) -> Any:
        return node.value

    def visit_List(self, node: ast.List) -> list:
        return [self.visit(each) for each in node.elts]

    def visit_Name(self, node: ast.Name) -> Any:
        return self._of(self.names, node.id)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        return self._of(self.visit(node.value), node.attr)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        return self._of(self.visit(node.value), self.visit(node.slice))

    def _of(self, whole: Any, key: Any) -> Any:
        try:
            return whole[key]
        except (KeyError, IndexError, TypeError):
            there = ", ".join(map(str, whole)) if isinstance(whole, dict) else type(whole).__name__
            raise Unreadable(f"there is no {key!r} in {there[:300]}") from None

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        if type(node.op) not in ARITHMETIC:
            return self.generic_visit(node.op)
        return ARITHMETIC[type(node.op)](self.visit(node.left), self.visit(node.right))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            return not self.visit(node.operand)
        if isinstance(node.op, ast.USub):
            return -self.visit(node.operand)
        return self.generic_visit(node.op)

    def visit_BoolOp(self, node: ast.BoolOp) -> bool:
        together = all if isinstance(node.op, ast.And) else any
        return together(self.visit(part) for part in node.values)

    def visit_Compare(self, node: ast.Compare) -> bool:
        left = self.visit(node.left)
        for comparison, right_node in zip(node.ops, node.comparators):
            right = self.visit(right_node)
            if type(comparison) not in COMPARISONS:
                self.generic_visit(comparison)
            if not COMPARISONS[type(comparison)](left, right):
                return False
            left = right
        return True

    def visit_Call(self, node: ast.Call) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in FUNCTIONS or node.keywords:
            raise Unreadable(f"expected one of {', '.join(FUNCTIONS)}, found {ast.unparse(node)}")
        return FUNCTIONS[name](*(self.visit(argument) for argument in node.args))

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> list:
        loop = node.generators[0]
        if len(node.generators) > 1 or not isinstance(loop.target, ast.Name):
            raise Unreadable(f"expected one `for NAME in …`, found {ast.unparse(node)}")
        found = []
        for each in self.visit(loop.iter):
            inner = _Evaluation(self.names | {loop.target.id: each})
            if all(inner.visit(test) for test in loop.ifs):
                found.append(inner.visit(node.elt))
        return found
