"""Texts that a regular expression matches: for values that a contract demands in a certain form.

Read from Python's own parse of the expression, and bounded in every repetition. What cannot be made (look-behind, references) gives
none.
"""

from __future__ import annotations

import re
import re._constants as c  # type: ignore[import-not-found]
import re._parser as p  # type: ignore[import-not-found]
from typing import Any

from worldwright.core.rng import Stream

LONGEST = 200
MOST = 3
"""Times that something is repeated beyond what is demanded."""
LETTERS = "abcdefghijkmnpqrstuvwxyz"


def generate_matches(pattern: str, seed: str, number: int = 6) -> list[str]:
    """Some texts that the pattern matches, each once; none where it is too much to ask."""
    if len(pattern) > LONGEST:
        return []
    try:
        tree = p.parse(pattern)
        checks = re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return []
    nested = _nested(tree, 0)
    stream = Stream("pattern", seed, pattern)
    out: dict[str, None] = {}
    for _ in range(number * 3):
        try:
            text = _made(tree, stream)
        except (_TooMuch, RecursionError):
            return []
        if len(text) <= LONGEST and (nested or checks.search(text)) and len(out) < number:
            out[text] = None
    return list(out)


def _nested(tree: Any, inside: int) -> bool:
    """Whether repetitions stand in repetitions: holding a text against such a pattern may take for ever, so none is."""
    for kind, argument in tree:
        again = kind in (c.MAX_REPEAT, c.MIN_REPEAT) and argument[1] is c.MAXREPEAT
        if again and inside:
            return True
        parts = (
            [argument[2]] if kind in (c.MAX_REPEAT, c.MIN_REPEAT) else [argument[3]] if kind is c.SUBPATTERN
            else argument[1] if kind is c.BRANCH else []
        )  # fmt: skip
        if any(_nested(part, inside + again) for part in parts):
            return True
    return False


class _TooMuch(Exception):
    """Something in a pattern that is not made."""


def _made(tree: Any, stream: Stream) -> str:
    return "".join(_part(kind, argument, stream) for kind, argument in tree)


def _part(kind: Any, argument: Any, stream: Stream) -> str:
    if kind is c.LITERAL:
        return chr(argument)
    if kind is c.NOT_LITERAL:
        return "x" if argument != ord("x") else "y"
    if kind is c.ANY:
        return stream.pick(LETTERS)
    if kind is c.IN:
        return _one_of(argument, stream)
    if kind in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
        least, most, inner = argument
        times = least + (stream.between(0, min(MOST, most - least)) if most is not c.MAXREPEAT and most > least else 0)
        if times > LONGEST:
            raise _TooMuch
        return "".join(_made(inner, stream) for _ in range(times if times or least else 1 if most else 0))
    if kind is c.SUBPATTERN:
        return _made(argument[3], stream)
    if kind is c.BRANCH:
        return _made(stream.pick(argument[1]), stream)
    if kind is c.AT:
        return ""
    if kind is c.CATEGORY:
        return _category(argument, stream)
    if kind is c.ASSERT_NOT or kind is c.ASSERT:
        return ""  # the whole text is held against the pattern at the end
    raise _TooMuch


def _one_of(items: Any, stream: Stream) -> str:
    if items and items[0][0] is c.NEGATE:
        barred = {ch for kind, a in items[1:] for ch in _barred(kind, a)}
        return next((ch for ch in "x1-A z" if ch not in barred), "~")
    kind, argument = stream.pick(items)
    if kind is c.RANGE:
        low, high = argument
        return chr(stream.between(low, min(high, low + 25)))
    return chr(argument) if kind is c.LITERAL else _category(argument, stream)


def _barred(kind: Any, argument: Any) -> str:
    if kind is c.LITERAL:
        return chr(argument)
    if kind is c.RANGE:
        return "".join(map(chr, range(argument[0], min(argument[1], argument[0] + 300) + 1)))
    return {"CATEGORY_DIGIT": "0123456789", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "x1Az_"}.get(str(argument), "")


def _category(argument: Any, stream: Stream) -> str:
    name = str(argument)
    if "NOT" in name:
        return {"CATEGORY_NOT_DIGIT": "x", "CATEGORY_NOT_SPACE": "x", "CATEGORY_NOT_WORD": "-"}.get(name, "x")
    return {"CATEGORY_DIGIT": stream.pick("0123456789"), "CATEGORY_SPACE": " "}.get(name) or stream.pick(LETTERS)
