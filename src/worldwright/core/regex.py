"""Texts that a regular expression matches: for values that a contract demands, or a Blueprint draws, in a certain form.

Every repetition is bounded. What cannot be made (look-behind, references) gives none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from worldwright.core.rng import Stream

MAX_CHARS = 200
"""Of a pattern, and of a text that it matches."""
MAX_EXTRA_REPEATS = 6
"""Times that something is repeated beyond what is demanded, at most."""
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


@lru_cache(maxsize=4096)
def read_pattern(pattern: str) -> Tree:
    """The tree of a pattern that texts are drawn from. Raises `UnreadableRegex` where there is none, or it asks for too much."""
    if len(pattern) > MAX_CHARS:
        raise UnreadableRegex(f"it has more than {MAX_CHARS} characters")
    try:
        tree = parse_regex(pattern)
        _sample(tree, Stream("pattern", pattern))
    except (_TooMuch, RecursionError, OverflowError):
        raise UnreadableRegex("it asks for too much") from None
    return tree


def sample_match(pattern: str, stream: Stream) -> str:
    """A text that the pattern matches from its beginning to its end; an empty one where it would get too long."""
    try:
        return _sample(read_pattern(pattern), stream)
    except _TooMuch:
        return ""


def may_take_forever(pattern: str) -> bool:
    """Tell whether holding a text against a pattern may take for ever, or the pattern cannot be read at all."""
    try:
        return _is_nested(parse_regex(pattern), 0)
    except (UnreadableRegex, RecursionError, OverflowError):
        return True


def _is_nested(tree: tuple[Node, ...], inside: int) -> bool:
    """Tell whether repetitions stand in repetitions: holding a text against such a pattern may take for ever, so none is."""
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
    room = MAX_EXTRA_REPEATS if node.most == UNBOUNDED else min(MAX_EXTRA_REPEATS, node.most - node.least)
    times = node.least + (stream.between(0, room) if room > 0 else 0)
    out = ""
    for _ in range(times if times or node.least else 1 if node.most else 0):
        out += _sample(node.inner, stream)
        if len(out) > MAX_CHARS:  # every part adds a character, so this bounds the work too
            raise _TooMuch
    return out


def _sample_chars(node: Chars, stream: Stream) -> str:
    if node.negated:
        barred = {letter for item in node.items for letter in _barred(item)}
        return next((letter for letter in "x1-A z" if letter not in barred), "~")
    alone = node.items[0] if len(node.items) == 1 else None
    if isinstance(alone, tuple) and alone[0] == alone[1]:
        return alone[0]
    item = stream.weighted(node.items, [_count_chars(i) for i in node.items])
    if isinstance(item, Category):
        return _sample_category(item, stream)
    low, high = map(ord, item)
    return chr(stream.between(low, min(high, low + 25))) if high > low else chr(low)


def _count_chars(item: tuple[str, str] | Category) -> int:
    return len(LETTERS) if isinstance(item, Category) else min(26, ord(item[1]) - ord(item[0]) + 1)


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


# Regular expressions as trees, in the common part of Python's and JSON Schema's syntax.
#
# The standard library parses them too, but only in modules with private names, and every library that makes texts from patterns
# builds on those. What is not common to both (look-behind, references, conditions, flags within) is refused.


UNBOUNDED = -1
"""The most repetitions of `*` and `+`."""
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "0": "\0"}
_QUANTIFIER = re.compile(r"(?:([*+?])|\{(\d*)(,?)(\d*)\})[?+]?")
_GROUP = re.compile(r"\?(?::|P?<[A-Za-z_]\w*>)")
_FLAGS = re.compile(r"\A\(\?[aims]+\)")
_HEX = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})")


class UnreadableRegex(ValueError):
    """An expression that is wrong, or uses what is not read here."""


@dataclass(frozen=True, slots=True)
class Category:
    """`.`, or a class that a letter stands for: `d`, `w`, `s` and their opposites."""

    letter: str


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set: single ones as ranges of one, or categories."""

    items: tuple[tuple[str, str] | Category, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Repeat:
    inner: Tree
    least: int
    most: int
    """`UNBOUNDED` where there is no limit."""


@dataclass(frozen=True, slots=True)
class Choice:
    options: tuple[Tree, ...]


Node: TypeAlias = "Chars | Category | Repeat | Choice"
Tree: TypeAlias = "tuple[Node, ...]"


def parse_regex(pattern: str) -> Tree:
    """Parse a pattern; anchors and look-aheads match no character and are left out. Raises `UnreadableRegex`."""
    parser = _Parser(_FLAGS.sub("", pattern))
    tree = parser.choice()
    if parser.peek():
        raise UnreadableRegex("unbalanced parenthesis")
    return tree


def char(letter: str) -> Chars:
    """One character that stands for itself."""
    return Chars(((letter, letter),))


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        if self.at >= len(self.text):
            raise UnreadableRegex("it ends too early")
        self.at += 1
        return self.text[self.at - 1]

    def choice(self) -> Tree:
        options = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            options.append(self.sequence())
        return _joined(options)

    def sequence(self) -> Tree:
        out: list[Node] = []
        while self.peek() not in ("", "|", ")"):
            atom = self.atom()
            found = _QUANTIFIER.match(self.text, self.at)
            if found and (found[1] or found[2] or found[4]):
                self.at = found.end()
                least, most = _times(found)
                if atom and most:
                    out.append(Repeat(atom, least, most))
            else:
                out += atom
        return tuple(out)

    def atom(self) -> Tree:
        """One character, set or group; nothing for what matches no character."""
        letter = self.take()
        if letter in "^$":
            return ()
        if letter == ".":
            return (Category("."),)
        if letter == "[":
            return (self.chars(),)
        if letter == "(":
            return self.group()
        if letter == "\\":
            if self.peek() in tuple("bBAZz"):
                self.at += 1
                return ()
            found = self.escape()
            return (Chars((found,)) if isinstance(found, Category) else char(found),)
        if letter in "*+?":
            raise UnreadableRegex("nothing to repeat")
        return (char(letter),)

    def group(self) -> Tree:
        ahead = self.text[self.at : self.at + 2] in ("?=", "?!")
        named = _GROUP.match(self.text, self.at)
        if self.peek() == "?" and not ahead and not named:
            raise UnreadableRegex("a group of a kind that is not read")
        self.at += 2 if ahead else len(named[0]) if named else 0
        inner = self.choice()
        if self.take() != ")":
            raise UnreadableRegex("a group without an end")
        return () if ahead or not inner else (Repeat(inner, 1, 1),) if named is None or named[0] != "?:" else inner

    def chars(self) -> Chars:
        negated = self.peek() == "^"
        self.at += negated
        items: list[tuple[str, str] | Category] = []
        first = True
        while first or self.peek() != "]":
            low = self.member()
            if self.peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", "") and isinstance(low, str):
                self.at += 1
                high = self.member()
                if isinstance(high, Category) or high < low:
                    raise UnreadableRegex("a bad range")
                items.append((low, high))
            else:
                items.append((low, low) if isinstance(low, str) else low)
            first = False
        self.at += 1
        return Chars(tuple(dict.fromkeys(items)), negated)

    def member(self) -> str | Category:
        letter = self.take()
        return self.escape() if letter == "\\" else letter

    def escape(self) -> str | Category:
        found = _HEX.match(self.text, self.at)
        if found:
            self.at = found.end()
            return chr(int(found[1] or found[2] or found[3], 16))
        letter = self.take()
        if letter in "dwsDWS":
            return Category(letter)
        if letter in _ESCAPED:
            return _ESCAPED[letter]
        if letter.isascii() and letter.isalnum():
            raise UnreadableRegex(f"`\\{letter}` is not read")
        return letter


def _times(found: re.Match[str]) -> tuple[int, int]:
    if found[1]:
        return {"*": (0, UNBOUNDED), "+": (1, UNBOUNDED), "?": (0, 1)}[found[1]]
    least = int(found[2] or 0)
    return least, (int(found[4]) if found[4] else UNBOUNDED) if found[3] else least


def _joined(options: list[Tree]) -> Tree:
    """Options without what all begin with, and single characters as one set: `ab|ac` as `a[bc]`."""
    if len(options) == 1:
        return options[0]
    shared: list[Node] = []
    while all(options) and len({option[0] for option in options}) == 1:
        shared.append(options[0][0])
        options = [option[1:] for option in options]
    sets = [
        option[0] for option in options if len(option) == 1 and isinstance(option[0], Chars) and not option[0].negated
    ]
    if len(sets) == len(options):
        items = (item for one in sets for item in one.items)
        return (*shared, Chars(tuple(dict.fromkeys(items))))
    return (*shared, Choice(tuple(options)))
