"""Limits of an episode: what a caller may send, and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Any

MAX_BITS = 1024
"""Whole numbers of more bits are not looked at: no type of the language holds them."""


@dataclass(frozen=True, slots=True)
class Limits:
    calls: int = 500
    """Tool calls per episode."""
    argument_nodes: int = 2_000
    """Values in the arguments of one call, nested ones included."""
    argument_depth: int = 8
    argument_text: int = 100_000
    """Characters in the arguments of one call."""


class Unreadable(Exception):
    """What was sent is refused unread; the message completes `The arguments are ...`."""


def copy_plain(value: Any, limits: Limits) -> Any:
    """Copy what was sent, of plain JSON values only: no method of the caller's own classes runs, now or later."""
    return dict(value) if _is_simple(value, limits) else _Reader(limits).read(value, 0)


def _is_simple(value: Any, limits: Limits) -> bool:
    """Return whether it is what nearly every call sends: a flat object of short plain values."""
    if type(value) is not dict or len(value) > min(16, limits.argument_nodes) or limits.argument_depth < 1:
        return False
    left = min(2_000, limits.argument_text)
    for key, item in value.items():
        if type(key) is not str or not key.isascii():
            return False
        left -= len(key)
        kind = type(item)
        if kind is str:
            if not item.isascii():
                return False
            left -= len(item)
        elif item is not None and kind is not bool and not (kind is int and -(2**60) < item < 2**60):
            return False
    return left >= 0


def clean_name(name: Any) -> str:
    """Return the name of a tool as text that any file can hold."""
    if type(name) is str and len(name) <= 200 and name.isascii():
        return name
    if not isinstance(name, str):
        return "<not text>"
    return str.__str__(name)[:200].encode("utf-8", "replace").decode()


class _Reader:
    """Copies within bounds. Recursion goes as deep as the limit, however deep the value is."""

    __slots__ = ("_limits", "_nodes", "_text")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._nodes = self._text = 0

    def read(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind is str:
            return self._string(value)
        if kind is int:
            return _check_integer(value)
        if value is None or kind is bool:
            return value
        if isinstance(value, dict):
            return self._object(value, depth + 1)
        if isinstance(value, (list, tuple)):
            return self._array(value, depth + 1)
        if isinstance(value, str):
            return self._string(str.__str__(value))
        if isinstance(value, int):
            return _check_integer(int.__int__(value))
        if isinstance(value, float):
            return _finite(float.__float__(value))
        if kind is Decimal:
            return _decimal(value)
        raise Unreadable("not plain JSON")

    def _object(self, value: dict[Any, Any], depth: int) -> dict[str, Any]:
        self._enter(dict.__len__(value), depth)
        out: dict[str, Any] = {}
        for key, item in dict.items(value):
            if not isinstance(key, str):
                raise Unreadable("not plain JSON: a key is not text")
            out[self._string(str.__str__(key))] = self.read(item, depth)
        return out

    def _array(self, value: list[Any] | tuple[Any, ...], depth: int) -> list[Any]:
        cls: Any = list if isinstance(value, list) else tuple
        self._enter(cls.__len__(value), depth)
        return [self.read(item, depth) for item in cls.__iter__(value)]

    def _enter(self, values: int, depth: int) -> None:
        if depth > self._limits.argument_depth:
            raise Unreadable(f"nested more than {self._limits.argument_depth} deep")
        self._nodes += values
        if self._nodes > self._limits.argument_nodes:
            raise Unreadable(f"more than {self._limits.argument_nodes} values")

    def _string(self, text: str) -> str:
        self._text += len(text)
        if self._text > self._limits.argument_text:
            raise Unreadable(f"more than {self._limits.argument_text} characters")
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise Unreadable("not plain JSON: text is not Unicode") from None
        return text


def _check_integer(number: int) -> int:
    if number.bit_length() > MAX_BITS:
        raise Unreadable("not plain JSON: a number is too large")
    return number


def _finite(number: float) -> float:
    if not isfinite(number):
        raise Unreadable("not plain JSON: a number is not finite")
    return number


def _decimal(number: Decimal) -> int | float:
    """A number that was read without loss, as the JSON number that it is."""
    if not number.is_finite() or abs(number.adjusted()) > 300:
        raise Unreadable("not plain JSON: a number is not finite")
    whole = int(number)
    return whole if whole == number else float(number)
