"""Texts that a regular expression matches: for values that a contract demands in a certain form.

Expressions are read in the common part of Python's and JSON Schema's syntax. The standard library parses them too, but only in
modules with private names, and every library that makes texts from patterns builds on those. Every repetition is bounded. What is
not common to both (look-behind, references, conditions, flags within) gives no texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from worldwright.core.rng import Stream

MAX_CHARS = 200
"""Of a pattern, and of a text that it matches."""
MAX_EXTRA_REPEATS = 3
"""Times that something is repeated beyond what is demanded."""
LETTERS = "abcdefghijkmnpqrstuvwxyz"
CATEGORIES = {"d": "0123456789", "w": LETTERS, "s": " ", ".": LETTERS, "D": "x", "S": "x", "W": "-"}
"""What is drawn for `.` and for the classes that a letter stands for."""
_BARRED = {"d": "0123456789", "s": " ", "w": "x1Az_"}
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "0": "\0"}
_QUANTIFIER = re.compile(r"(?:([*+?])|\{(\d*)(,?)(\d*)\})[?+]?")
_GROUP = re.compile(r"\?(?::|P?<[A-Za-z_]\w*>)")
_FLAGS = re.compile(r"\A\(\?[aims]+\)")
_HEX = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})")

Make = Callable[[Stream], str]
"""Makes a text that some part of an expression matches."""
Member = tuple[str, str] | str
"""Of a set of characters: a range, or the letter of a category."""


class UnreadableRegex(ValueError):
    """An expression that is wrong, or uses what is not read here."""


class _TooMuch(Exception):
    """A text that would be too long."""


def generate_matches(pattern: str, seed: str, number: int = 6) -> list[str]:
    """Some texts that the pattern matches, each once; none where it is too much to ask."""
    if len(pattern) > MAX_CHARS:
        return []
    try:
        parser = parse_regex(pattern)
        checks = re.compile(pattern)
    except (UnreadableRegex, re.error, RecursionError, OverflowError):
        return []
    stream = Stream("pattern", seed, pattern)
    out: dict[str, None] = {}
    for _ in range(number * 3):
        try:
            text = parser.make(stream)
        except (_TooMuch, RecursionError):
            return []
        if len(text) <= MAX_CHARS and (parser.nested or checks.search(text)) and len(out) < number:
            out[text] = None
    return list(out)


def parse_regex(pattern: str) -> Parser:
    """Parse a pattern; anchors and look-aheads match no character and are left out. Raises `UnreadableRegex`."""
    parser = Parser(_FLAGS.sub("", pattern))
    parser.make, _ = parser.choice()
    if parser.peek():
        raise UnreadableRegex("unbalanced parenthesis")
    return parser


class Parser:
    """Reads an expression from left to right. What it reads comes back as what makes a text of it, and whether that is endless."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.make: Make = _nothing
        self.nested = False
        """Repetitions stand in repetitions: holding a text against such a pattern may take for ever, so none is."""

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        if self.at >= len(self.text):
            raise UnreadableRegex("it ends too early")
        self.at += 1
        return self.text[self.at - 1]

    def choice(self) -> tuple[Make, bool]:
        options = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            options.append(self.sequence())
        makes = [make for make, _ in options]
        return (lambda stream: stream.pick(makes)(stream)), any(endless for _, endless in options)

    def sequence(self) -> tuple[Make, bool]:
        parts: list[Make] = []
        endless = False
        while self.peek() not in ("", "|", ")"):
            make, again = self.atom()
            found = _QUANTIFIER.match(self.text, self.at)
            if found and (found[1] or found[2] or found[4]):
                self.at = found.end()
                least, most = _times(found)
                self.nested = self.nested or (again and most is None)
                again = again or most is None
                make = _repeated(make, least, most)
            parts.append(make)
            endless = endless or again
        return (lambda stream: "".join(make(stream) for make in parts)), endless

    def atom(self) -> tuple[Make, bool]:
        """One character, set or group; nothing for what matches no character."""
        letter = self.take()
        if letter == "(":
            return self.group()
        if letter == "[":
            return self.chars(), False
        if letter in "^$" or (letter == "\\" and self.peek() in tuple("bBAZz")):
            self.at += letter == "\\"
            return _nothing, False
        if letter in "*+?":
            raise UnreadableRegex("nothing to repeat")
        member = "." if letter == "." else self.escape() if letter == "\\" else (letter, letter)
        return _drawn([member]), False

    def group(self) -> tuple[Make, bool]:
        ahead = self.text[self.at : self.at + 2] in ("?=", "?!")
        named = _GROUP.match(self.text, self.at)
        if self.peek() == "?" and not ahead and not named:
            raise UnreadableRegex("a group of a kind that is not read")
        self.at += 2 if ahead else len(named[0]) if named else 0
        inner = self.choice()
        if self.take() != ")":
            raise UnreadableRegex("a group without an end")
        return (_nothing, False) if ahead else inner

    def chars(self) -> Make:
        negated = self.peek() == "^"
        self.at += negated
        members: list[Member] = []
        while not members or self.peek() != "]":
            low = self.member()
            if self.peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", "") and isinstance(low, tuple):
                self.at += 1
                high = self.member()
                if isinstance(high, str) or high[0] < low[0]:
                    raise UnreadableRegex("a bad range")
                low = (low[0], high[0])
            members.append(low)
        self.at += 1
        return _drawn(members) if not negated else lambda stream: _other_than(members)

    def member(self) -> Member:
        letter = self.take()
        return self.escape() if letter == "\\" else (letter, letter)

    def escape(self) -> Member:
        found = _HEX.match(self.text, self.at)
        if found:
            self.at = found.end()
            char = chr(int(found[1] or found[2] or found[3], 16))
            return char, char
        letter = self.take()
        if letter in "dwsDWS":
            return letter
        if letter.isascii() and letter.isalnum() and letter not in _ESCAPED:
            raise UnreadableRegex(f"`\\{letter}` is not read")
        return (_ESCAPED.get(letter, letter),) * 2


def _nothing(stream: Stream) -> str:
    return ""


def _times(found: re.Match[str]) -> tuple[int, int | None]:
    if found[1]:
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[found[1]]
    least = int(found[2] or 0)
    return least, (int(found[4]) if found[4] else None) if found[3] else least


def _repeated(make: Make, least: int, most: int | None) -> Make:
    extra = MAX_EXTRA_REPEATS if most is None else min(MAX_EXTRA_REPEATS, most - least)

    def repeat(stream: Stream) -> str:
        times = least + (stream.between(0, extra) if extra > 0 else 0)
        if times > MAX_CHARS:
            raise _TooMuch
        return "".join(make(stream) for _ in range(times or (most != 0)))

    return repeat


def _drawn(members: Sequence[Member]) -> Make:
    """One character of a set."""

    def draw(stream: Stream) -> str:
        member = stream.pick(members)
        if isinstance(member, str):
            return stream.pick(CATEGORIES[member])
        low, high = map(ord, member)
        return chr(stream.between(low, min(high, low + 25)))

    return draw


def _other_than(members: Sequence[Member]) -> str:
    """One character that is not in a set."""
    barred = {char for m in members if isinstance(m, str) for char in _BARRED.get(m, "")}
    spans = [member for member in members if isinstance(member, tuple)]
    return next((c for c in "x1-A z" if c not in barred and not any(a <= c <= b for a, b in spans)), "~")
