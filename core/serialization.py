"""How does a dataclass become plain values, as JSON has them, and these the dataclass again?

    to_json(value)            what json.dumps() takes; a field that has its default is left out, bytes are packed, and
                              a dict's keys are text
    from_json(kind, value)    the same again; of what somebody else has written, nothing is taken on trust

Known are str, bool, int, float, None, bytes, `X | None`, list[X], dict[str, X], dict[int, X] and dataclasses of these.
"""

import base64
import binascii
import dataclasses
import functools
import math
import re
import types
import typing
import zlib
from collections.abc import Mapping

LARGEST_NUMBER = 1 << 64  # what the kernel reports has 64 bits at most; no judge is to reckon with more
NUMBER = re.compile(r"-?\d{1,20}", re.ASCII)  # as text
LARGEST_BYTES = 8 << 20  # of what is packed
Kind = typing.TypeVar("Kind")


class Damaged(ValueError):
    """A value is not what it should be; the message says where, and what was found instead."""


def to_json(value: object) -> typing.Any:
    """Plain values for JSON."""
    if dataclasses.is_dataclass(value):
        return {
            field.name: to_json(mine)
            for field in dataclasses.fields(value)
            if (mine := getattr(value, field.name)) != _default(field)
        }
    if isinstance(value, bytes):
        return base64.b64encode(zlib.compress(value, 9)).decode()
    if isinstance(value, dict):
        return {str(key): to_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(each) for each in value]
    return value


def from_json(kind: typing.Any, value: object, at: str = "it") -> typing.Any:
    """A value of this kind. Raises Damaged; `at` says there where it was found."""
    if kind in (str, bool, type(None)):
        return _is(kind, value, at)
    if kind in (int, float):
        return _number(kind, value, at)
    if kind is bytes:
        return _unpacked(_is(str, value, at), at)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _dataclass(kind, _is(dict, value, at), at)
    of, inside = typing.get_origin(kind), typing.get_args(kind)
    if of in (types.UnionType, typing.Union):  # X | None: the only one there is
        return None if value is None else from_json(next(each for each in inside if each is not type(None)), value, at)
    if of is list:
        return [from_json(inside[0], each, f"{at}[{number}]") for number, each in enumerate(_is(list, value, at))]
    if of is dict:
        found = _is(dict, value, at)
        return {_key(inside[0], key, at): from_json(inside[1], each, f"{at}.{key}") for key, each in found.items()}
    raise TypeError(f"no way to load {kind}")


def _is(kind: type[Kind], value: object, at: str) -> Kind:
    if type(value) is not kind:
        raise Damaged(f"{at}: expected {kind.__name__}, found {type(value).__name__}")
    return value


def _number(kind: type[int] | type[float], value: object, at: str) -> int | float:
    if type(value) is not int and (kind is int or type(value) is not float):
        raise Damaged(f"{at}: expected {kind.__name__}, found {type(value).__name__}")
    if not abs(value) <= LARGEST_NUMBER or not math.isfinite(value):
        raise Damaged(f"{at}: expected a number up to 2^64, found another")
    return kind(value)


def _key(kind: type[str] | type[int], key: str, at: str) -> object:
    if kind is str:
        return key
    if not NUMBER.fullmatch(key):
        raise Damaged(f"{at}: expected a whole number as a name, found {key[:80]!r}")
    return _number(int, int(key), at)


def _unpacked(text: str, at: str) -> bytes:
    try:
        unpacking = zlib.decompressobj()
        found = unpacking.decompress(base64.b64decode(text, validate=True), LARGEST_BYTES)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise Damaged(f"{at}: expected deflated bytes in base64, found: {error}") from error
    if not unpacking.eof:
        raise Damaged(f"{at}: expected deflated bytes in base64, {LARGEST_BYTES >> 20} MiB at most and whole")
    return found


def _dataclass(kind: type, value: Mapping[str, object], at: str) -> typing.Any:
    known = _kinds(kind)
    if strange := sorted(value.keys() - known.keys()):
        raise Damaged(f"{at}: there is no {strange[0][:80]!r} in it")
    lacking = [f.name for f in dataclasses.fields(kind) if f.name not in value and _default(f) is dataclasses.MISSING]
    if lacking:
        raise Damaged(f"{at}: {lacking[0]!r} is missing")
    return kind(**{name: from_json(known[name], each, f"{at}.{name}") for name, each in value.items()})


@functools.cache
def _kinds(kind: type) -> dict[str, typing.Any]:
    """The kind of each field, by name."""
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _default(field: dataclasses.Field[typing.Any]) -> object:
    """The value of a field if nothing is said; MISSING if something has to be."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default
