"""Finds values in longer texts and puts their replacements there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(r"[^\W_]+")
_SIGN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
MAX_BETWEEN = 3
"""Characters between two words of a value."""
MIN_DIGITS = 6
"""Of a number that is looked for in texts. A shorter one stands for anything."""


@dataclass(frozen=True, slots=True)
class _Entry:
    bare: str
    """The value from its first word to its last."""
    replacement: str
    before: str
    """What stands in the value before its first word: the plus of a phone number."""
    after: str
    exact: bool
    """What stands between its words has to be the same too."""
    capital: bool
    """One word alone, which is only meant where it is written with a capital letter."""

    def fits(self, written: str) -> bool:
        """Tell whether what has the same words is meant."""
        return written.casefold() == self.bare.casefold() if self.exact else not (self.capital and written.islower())


class Finder:
    """Looks for values, each with its replacement. Of two that differ only in the case of letters, the one in mixed case counts."""

    def __init__(self, pairs: Iterable[tuple[str, str]], shortest: int) -> None:
        self._entries: dict[tuple[str, ...], _Entry] = {}
        self._longest: dict[str, int] = {}
        """By first word, how many words a value has at most."""
        signs: dict[str, str] = {}
        for original, replacement in sorted(pairs, key=lambda p: (p[0].isupper() or p[0].islower(), p)):
            if _SIGN.search(original):
                signs.setdefault(original.strip(), replacement.strip())
            else:
                self._add(original.strip(), replacement.strip(), shortest)
        self._signs = signs
        longest_first = sorted(signs, key=lambda sign: (-len(sign), sign))
        self._sign = re.compile("|".join(map(re.escape, longest_first))) if signs else None

    def _add(self, original: str, replacement: str, shortest: int) -> None:
        tokens = list(_TOKEN.finditer(original))
        plain = "".join(t.group() for t in tokens)
        if len(plain) < shortest or (plain.isdigit() and len(plain) < MIN_DIGITS):
            return
        key = tuple(t.group().casefold() for t in tokens)
        start, end = tokens[0].start(), tokens[-1].end()
        exact = "@" in original or original.count(".") == 3
        capital = len(tokens) == 1 and plain.isalpha() and plain != plain.lower()
        entry = _Entry(original[start:end], replacement, original[:start], original[end:], exact, capital)
        self._entries.setdefault(key, entry)
        self._longest[key[0]] = max(self._longest.get(key[0], 0), len(key))

    def replaced(self, text: str) -> str:
        """The text with the replacements of all values in it."""
        if self._sign is not None:
            text = self._sign.sub(lambda found: self._signs[found.group()], text)
        if not self._entries:
            return text
        out, end = "", 0
        for start, stop, made in self._find_values(text):
            out += text[end:start] + made
            end = stop
        return out + text[end:]

    def _find_values(self, text: str) -> Iterator[tuple[int, int, str]]:
        tokens = list(_TOKEN.finditer(text))
        folded = [t.group().casefold() for t in tokens]
        i = end = 0
        while i < len(tokens):
            count, entry = self._match(text, tokens, folded, i)
            if entry is not None:
                start, stop = tokens[i].start(), tokens[i + count - 1].end()
                made, written = entry.replacement, text[start:stop]
                if text[end:start].endswith(entry.before):
                    start -= len(entry.before)
                else:
                    made = made.removeprefix(entry.before)
                if text.startswith(entry.after, stop):
                    stop += len(entry.after)
                else:
                    made = made.removesuffix(entry.after)
                yield start, stop, _cased(made, written)
                end = stop
            i += count

    def _match(self, text: str, tokens: list[re.Match[str]], folded: list[str], i: int) -> tuple[int, _Entry | None]:
        """The longest value that begins with a word, and of how many words it is."""
        count, most = 1, min(self._longest.get(folded[i], 0), len(tokens) - i)
        while count < most and tokens[i + count].start() - tokens[i + count - 1].end() <= MAX_BETWEEN:
            count += 1
        for n in range(count if most else 0, 0, -1):
            entry = self._entries.get(tuple(folded[i : i + n]))
            if entry and entry.fits(text[tokens[i].start() : tokens[i + n - 1].end()]):
                return n, entry
        return 1, None


def _cased(made: str, written: str) -> str:
    letters = "".join(ch for ch in written if ch.isalpha())
    if len(letters) > 1 and letters.isupper():
        return made.upper()
    return made.lower() if letters.islower() else made


def leaves(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The plain values within a value, each with its path: `address.city`, `tags[]`. Keys that are addresses count: `owners{}`."""
    if depth > 20:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if "@" in key:
                yield f"{path}{{}}", key
            yield from leaves(inner, f"{path}.{key}", depth + 1)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from leaves(inner, f"{path}[]", depth + 1)
    elif value is not None:
        yield path, value
