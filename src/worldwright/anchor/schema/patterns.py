"""Texts that a regular expression matches: for values that a contract demands in a certain form.

Every repetition is bounded. What cannot be made (look-behind, references) gives none.
"""

from __future__ import annotations

import re

from worldwright.anchor.schema.regex import UNBOUNDED, Category, Chars, Node, Repeat, UnreadableRegex, parse_regex
from worldwright.core.rng import Stream

MAX_CHARS = 200
"""Of a pattern, and of a text that it matches."""
MAX_EXTRA_REPEATS = 3
"""Times that something is repeated beyond what is demanded."""
LETTERS = "abcdefghijkmnpqrstuvwxyz"
_OPPOSITES = {"D": "x", "S": "x", "W": "-"}
_BARRED = {"d": "0123456789", "s": " ", "w": "x1Az_"}


def generate_matches(pattern: str, seed: str, number: int = 6) -> list[str]:
    """Some texts that the pattern matches, each once; none where it is too much to ask."""
    if len(pattern) > MAX_CHARS:
        return []
    try:
        tree = parse_regex(pattern)
        checks = re.compile(pattern)
    except (UnreadableRegex, re.error, RecursionError, OverflowError):
        return []
    nested = _is_nested(tree, 0)
    stream = Stream("pattern", seed, pattern)
    out: dict[str, None] = {}
    for _ in range(number * 3):
        try:
            text = _sample(tree, stream)
        except (_TooMuch, RecursionError):
            return []
        if len(text) <= MAX_CHARS and (nested or checks.search(text)) and len(out) < number:
            out[text] = None
    return list(out)


def _is_nested(tree: tuple[Node, ...], inside: int) -> bool:
    """Whether repetitions stand in repetitions: holding a text against such a pattern may take for ever, so none is."""
    for node in tree:
        if isinstance(node, (Chars, Category)):
            continue
        again = isinstance(node, Repeat) and node.most == UNBOUNDED
        if again and inside:
            return True
        parts = [node.inner] if isinstance(node, Repeat) else node.options
        if any(_is_nested(part, inside + again) for part in parts):
            return True
    return False


class _TooMuch(Exception):
    """A text that would be too long."""


def _sample(tree: tuple[Node, ...], stream: Stream) -> str:
    return "".join(_sample_node(node, stream) for node in tree)


def _sample_node(node: Node, stream: Stream) -> str:
    if isinstance(node, Category):
        return _sample_category(node, stream)
    if isinstance(node, Chars):
        return _sample_chars(node, stream)
    if not isinstance(node, Repeat):
        return _sample(stream.pick(node.options), stream)
    extra = node.most > node.least
    times = node.least + (stream.between(0, min(MAX_EXTRA_REPEATS, node.most - node.least)) if extra else 0)
    if times > MAX_CHARS:
        raise _TooMuch
    return "".join(_sample(node.inner, stream) for _ in range(times if times or node.least else 1 if node.most else 0))


def _sample_chars(node: Chars, stream: Stream) -> str:
    if node.negated:
        barred = {letter for item in node.items for letter in _barred(item)}
        return next((letter for letter in "x1-A z" if letter not in barred), "~")
    alone = node.items[0] if len(node.items) == 1 else None
    if isinstance(alone, tuple) and alone[0] == alone[1]:
        return alone[0]
    item = stream.pick(node.items)
    if isinstance(item, Category):
        return _sample_category(item, stream)
    low, high = map(ord, item)
    return chr(stream.between(low, min(high, low + 25))) if high > low else chr(low)


def _barred(item: tuple[str, str] | Category) -> str:
    if isinstance(item, Category):
        return _BARRED.get(item.letter, "")
    low, high = map(ord, item)
    return "".join(map(chr, range(low, min(high, low + 300) + 1)))


def _sample_category(category: Category, stream: Stream) -> str:
    if category.letter in _OPPOSITES:
        return _OPPOSITES[category.letter]
    if category.letter == ".":
        return stream.pick(LETTERS)
    digit = stream.pick("0123456789")  # drawn for every class, so that worlds derived so far stay as they are
    return digit if category.letter == "d" else " " if category.letter == "s" else stream.pick(LETTERS)
