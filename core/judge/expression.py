"""What does a reader's expression come to? It is read and reckoned here, and never run.

    lost = parsed(answer, "lost", {"asked", "size"})
    value(lost, {"asked": 20001, "size": 20000})

Known are names, numbers, words, comparisons, arithmetic, and, or, not, … if … else …, a few functions of Python's, and
before the expression names and functions of one line. So there is nothing to call but those, and nothing to wait for
but reckoning, which has a deadline; nothing grows much longer than the text is.
"""

import ast
import contextlib
import operator
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

LONGEST = 20_000  # letters, of the whole text
MOST_BITS = 1 << 17  # of a number, more than the longest text can write
LARGEST_POWER = 64
DEADLINE_S = 1.0  # of the processor: another load turns no verdict
Several: TypeAlias = tuple[object, ...] | list[object] | frozenset[object]
ARITHMETIC: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
COMPARISONS: Mapping[type[ast.AST], Callable[[Any, Any], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda one, several: one in several,
    ast.NotIn: lambda one, several: one not in several,
}
SEVERAL: Mapping[type[ast.AST], type[Several]] = {ast.Tuple: tuple, ast.List: list, ast.Set: frozenset}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": abs,
    "all": all,
    "any": any,
    "bool": bool,
    "int": int,
    "max": max,
    "min": min,
}
SYNTAX = (
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.BoolOp,
    ast.And,
    ast.Or,
    ast.UnaryOp,
    ast.BinOp,
    ast.Compare,
    ast.IfExp,
    ast.Call,
    *SEVERAL,
    *ARITHMETIC,
    *COMPARISONS,
)


NOT_RECKONED = (TypeError, ArithmeticError, LookupError, ValueError, RecursionError)


class NoExpression(ValueError):
    """An expression cannot be read or reckoned; the message says what was found."""


@dataclass(frozen=True)
class Function:
    """A function of one line: the names of its arguments, and what it returns."""

    arguments: tuple[str, ...]
    returns: ast.expr


@dataclass(frozen=True)
class Expression:
    """What is `called` so, and all that the text defines, in its order."""

    called: str
    defined: list[tuple[str, ast.expr | Function]]


def parsed(text: str, called: str, names: Collection[str]) -> Expression:
    """The expression of the line `called = …` of a text, or a function so called of some of these names; before it may
    stand other such lines. Raises NoExpression."""
    if len(text) > LONGEST:
        raise NoExpression(f"it has {len(text)} letters, expected {LONGEST} at most")
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NoExpression(str(error)) from error
    known, defined = {*names, *FUNCTIONS}, []
    for statement in filter(lambda each: not _says_nothing(each), body):
        name, found = _defined(statement)
        if name in names or name in FUNCTIONS:
            raise NoExpression(f"{name!r} is given a meaning of its own, and has one already")
        if isinstance(found, Function):
            if name == called and not {*found.arguments} <= {*names}:
                raise NoExpression(f"expected a function of {', '.join(names)}, found one of {found.arguments}")
            _check(found.returns, {*known, *found.arguments}, names)
        else:
            _check(found, known, names)
        known.add(name)
        defined.append((name, found))
    if called not in known:
        raise NoExpression(f"expected a line `{called} = …`, found {len(body)} statements without it")
    return Expression(called, defined)


def value(expression: Expression, names: Mapping[str, object]) -> object:
    """What a parsed expression comes to with these values. Raises NoExpression."""
    reckoning = _Reckoning(dict(names), time.thread_time() + DEADLINE_S)
    try:
        for name, defined in expression.defined:
            reckoning.known[name] = defined if isinstance(defined, Function) else reckoning.of(defined)
        found = reckoning.known[expression.called]
        if isinstance(found, Function):  # of the names
            found = reckoning.returned(found, [names[argument] for argument in found.arguments])
        if callable(found) or isinstance(found, Function):
            raise NoExpression(f"{expression.called!r} comes to a function")
        return found
    except NOT_RECKONED as error:
        raise NoExpression(str(error)) from error


def constants(expression: Expression) -> set[int]:
    """The whole numbers that its text writes, in whatever way: as `65536`, `2**16` or `16 * 4096`, or by a name of its
    own. What takes too long to be reckoned is left out, but for the numbers themselves."""
    reckoning, found = _Reckoning({}, time.thread_time() + DEADLINE_S), set()
    for name, defined in expression.defined:
        for node in ast.walk(defined.returns if isinstance(defined, Function) else defined):
            with contextlib.suppress(NoExpression, *NOT_RECKONED):
                number: object = node.value if isinstance(node, ast.Constant) else None
                if isinstance(node, ast.expr) and number is None:
                    number = reckoning.of(node)
                if isinstance(number, (int, float)) and not isinstance(number, bool) and abs(number) < 1 << 64:
                    found.add(int(number))
        with contextlib.suppress(NoExpression, *NOT_RECKONED):
            reckoning.known[name] = defined if isinstance(defined, Function) else reckoning.of(defined)
    return found


def numbers(text: str) -> dict[str, int | float]:
    """Map names to the numbers that a program gives them at its outermost level, as far as they can be read: `A =
    20_000`, `A: int = 2 * B`, `A, B = 1, 2`. Raises NoExpression if it is no Python."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NoExpression(str(error)) from error
    reckoning = _Reckoning({}, time.thread_time() + DEADLINE_S)
    for target, given in (pair for statement in body for pair in _given(statement)):
        try:
            reckoning.known[target] = reckoning.of(given)
        except (NoExpression, *NOT_RECKONED):
            reckoning.known.pop(target, None)
    return {
        name: found
        for name, found in reckoning.known.items()
        if isinstance(found, (int, float)) and not isinstance(found, bool)
    }


def _given(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Each name that a statement gives, with what it is to stand for."""
    match statement:
        case ast.Assign(targets=targets, value=found):
            for target in targets:
                yield from _pairs(target, found)
        case ast.AnnAssign(target=target, value=ast.expr() as found):
            yield from _pairs(target, found)
        case ast.AugAssign(target=ast.Name(id=name) as target, op=operation, value=found):
            yield name, ast.BinOp(ast.Name(name, ast.Load()), operation, found)


def _pairs(target: ast.expr, found: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, found:
        case ast.Name(id=name), _:
            yield name, found
        case ((ast.Tuple(elts=targets) | ast.List(elts=targets)), (ast.Tuple(elts=values) | ast.List(elts=values))):
            for pair in zip(targets, values):
                yield from _pairs(*pair)


def _defined(statement: ast.stmt) -> tuple[str, ast.expr | Function]:
    """The name that a statement gives, and to what. Raises NoExpression."""
    match statement:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=found)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as found)
        ):
            if isinstance(found, ast.Lambda):
                return name, Function(_arguments(found.args), found.body)
            return name, found
        case ast.FunctionDef(
            name=name, args=arguments, decorator_list=[], body=[*before, ast.Return(value=ast.expr() as found)]
        ):
            if all(map(_says_nothing, before)):
                return name, Function(_arguments(arguments), found)
    raise NoExpression(f"expected lines `name = …` and functions of one line, found {type(statement).__name__}")


def _says_nothing(statement: ast.stmt) -> bool:
    """A docstring."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _arguments(found: ast.arguments) -> tuple[str, ...]:
    if found.vararg or found.kwarg or found.kwonlyargs or found.defaults:
        raise NoExpression("expected a function with plain arguments, found others")
    return tuple(each.arg for each in [*found.posonlyargs, *found.args])


def _check(expression: ast.expr, known: Collection[str], names: Collection[str]) -> None:
    """Raises NoExpression if there is in it what may not be there."""
    for node in ast.walk(expression):
        if not isinstance(node, SYNTAX):
            raise NoExpression(f"found {type(node).__name__} in it, which is none of what may be there")
        if isinstance(node, ast.Name) and node.id not in known:
            raise NoExpression(f"name {node.id!r} is none of {', '.join(names)}")
        if isinstance(node, ast.Constant) and not isinstance(node.value, (bool, int, float, str)):
            raise NoExpression(f"found {node.value!r} in it, expected numbers and words")
        if isinstance(node, ast.Call) and (not isinstance(node.func, ast.Name) or node.keywords):
            raise NoExpression("found Call in it of what is no function's name, or with arguments by name")


@dataclass
class _Reckoning:
    """What is `known` by name so far, and when there is no time left."""

    known: dict[str, object]
    until: float

    def of(self, node: ast.expr, own: Mapping[str, object] = MappingProxyType({})) -> object:
        """What an expression comes to; in a function with its `own` names."""
        if time.thread_time() > self.until:
            raise NoExpression(f"it was not reckoned in {DEADLINE_S:g} s")

        def of(part: ast.expr) -> object:
            return self.of(part, own)

        match node:
            case ast.Name():
                for scope in (own, self.known, FUNCTIONS):
                    if node.id in scope:
                        return scope[node.id]
                raise NoExpression(f"name {node.id!r} stands for nothing")
            case ast.Constant():
                return node.value
            case ast.Tuple() | ast.List() | ast.Set():
                return _several(SEVERAL[type(node)], list(map(of, node.elts)))
            case ast.BoolOp():
                return _first(map(of, node.values), isinstance(node.op, ast.Or))
            case ast.IfExp():
                return of(node.body if of(node.test) else node.orelse)
            case ast.UnaryOp():
                return ARITHMETIC[type(node.op)](of(node.operand))
            case ast.BinOp():
                return _reckoned(type(node.op), _number(of(node.left)), _number(of(node.right)))
            case ast.Compare():
                sides = list(map(of, [node.left, *node.comparators]))
                return all(COMPARISONS[type(op)](*pair) for op, pair in zip(node.ops, zip(sides, sides[1:])))
            case ast.Call():
                return self.returned(of(node.func), list(map(of, node.args)))
        raise NoExpression(f"found {type(node).__name__} in it, which is none of what may be there")

    def returned(self, function: object, arguments: list[object]) -> object:
        """What a function returns: one of Python's, or one of one line."""
        if isinstance(function, Function):
            if len(arguments) != len(function.arguments):
                raise NoExpression(f"a function of {len(function.arguments)} arguments is given {len(arguments)}")
            return self.of(function.returns, dict(zip(function.arguments, arguments)))
        known = next((each for each in FUNCTIONS.values() if each is function), None)
        if known is None:
            raise NoExpression(f"expected a function, found {function!r}")
        return known(*map(_number, arguments) if known is int else arguments)


def _first(values: Iterable[object], holds: bool) -> object:
    """The value of `or` or `and`: the first that holds, or that does not; else the last."""
    for found in values:
        if bool(found) is holds:
            break
    return found


def _several(kind: type[Several], parts: list[object]) -> Several:
    """A tuple, list or set; it may hold others, as long as there is not much in it."""
    if _leaves(parts, LONGEST) > LONGEST:
        raise NoExpression(f"expected {LONGEST} values in it at most")
    return kind(parts)


def _leaves(found: object, most: int) -> int:
    """How many values are in it; not more than one above `most` is counted."""
    if not isinstance(found, (tuple, list, frozenset)):
        return 1
    count = 1
    for each in found:
        count += _leaves(each, most - count)
        if count > most:
            break
    return count


def _reckoned(operation: type[ast.operator], left: int | float, right: int | float) -> object:
    """Arithmetic whose result is not larger than a text may be: a number, and of some powers a complex one."""
    if operation in (ast.Pow, ast.LShift) and max(abs(right), _bits(left)) > LARGEST_POWER:
        raise NoExpression(f"expected powers up to {LARGEST_POWER}, and of numbers up to 2^{LARGEST_POWER}")
    if operation is ast.Mult and _bits(left) + _bits(right) > MOST_BITS:
        raise NoExpression("a number in it grows too large")
    return ARITHMETIC[operation](left, right)


def _bits(number: int | float) -> int:
    return number.bit_length() if isinstance(number, int) else 0


def _number(found: object) -> int | float:
    """A word may be compared, and not reckoned with: it could be made as long as memory is."""
    if not isinstance(found, (int, float)):
        raise NoExpression(f"arithmetic is for numbers, found {found!r}")
    return found
