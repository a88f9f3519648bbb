"""Finds values in longer texts and puts their replacements there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

_TOKEN = re.compile(r"[^\W_]+")
_SIGN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
MAX_NAME_WORDS = 3
"""Characters between two words of a value."""
MIN_DIGITS = 6
"""Of a number that is looked for in texts. A shorter one stands for anything."""


@dataclass(slots=True)
class _Entry:
    original: str
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
        if self.exact:
            return (
                written.casefold() == self.original.casefold()[len(self.before) : len(self.original) - len(self.after)]
            )
        return not (self.capital and written.islower())


@dataclass(slots=True)
class _Node:
    entry: _Entry | None = None
    next: dict[str, _Node] = field(default_factory=dict)


class Finder:
    """Values to look for, each with its replacement."""

    def __init__(self, shortest: int) -> None:
        self._shortest = shortest
        self._root = _Node()
        self._signs: dict[str, list[tuple[str, str]]] = {}

    def add(self, original: str, replacement: str) -> None:
        """The first that is added for the same words stays."""
        original, replacement = original.strip(), replacement.strip()
        if _SIGN.search(original):
            self._signs.setdefault(original[0], []).append((original, replacement))
            return
        tokens = list(_TOKEN.finditer(original))
        plain = "".join(t.group() for t in tokens)
        if len(plain) < self._shortest or (plain.isdigit() and len(plain) < MIN_DIGITS):
            return
        node = self._root
        for token in tokens:
            node = node.next.setdefault(token.group().casefold(), _Node())
        alone = len(tokens) == 1 and plain.isalpha()
        before, after = original[: tokens[0].start()], original[tokens[-1].end() :]
        exact = "@" in original or original.count(".") == 3
        node.entry = node.entry or _Entry(original, replacement, before, after, exact, alone and plain != plain.lower())

    def close(self) -> None:
        """Longer ones are looked for first."""
        for listed in self._signs.values():
            listed.sort(key=lambda pair: (-len(pair[0]), pair[0]))

    def replaced(self, text: str) -> str:
        if self._signs and _SIGN.search(text):
            text = self._signs_replaced(text)
        if not self._root.next:
            return text
        out: list[str] = []
        end = 0
        for start, stop, made in self._find_values(text):
            out += [text[end:start], made]
            end = stop
        return "".join([*out, text[end:]]) if out else text

    def _find_values(self, text: str) -> Iterator[tuple[int, int, str]]:
        tokens = list(_TOKEN.finditer(text))
        folded = [t.group().casefold() for t in tokens]
        i, end = 0, 0
        while i < len(tokens):
            found = self._longest(text, tokens, folded, i)
            if found is None:
                i += 1
                continue
            entry, last = found
            start, stop = tokens[i].start(), tokens[last].end()
            made = entry.replacement
            written = text[start:stop]
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
            i = last + 1

    def _longest(self, text: str, tokens: list[re.Match[str]], folded: list[str], i: int) -> tuple[_Entry, int] | None:
        node: _Node | None = self._root
        best: tuple[_Entry, int] | None = None
        for j in range(i, len(tokens)):
            if j > i and tokens[j].start() - tokens[j - 1].end() > MAX_NAME_WORDS:
                break
            node = node.next.get(folded[j]) if node else None
            if node is None:
                break
            if node.entry and node.entry.fits(text[tokens[i].start() : tokens[j].end()]):
                best = node.entry, j
        return best

    def _signs_replaced(self, text: str) -> str:
        out: list[str] = []
        i = 0
        while i < len(text):
            found = next((p for p in self._signs.get(text[i], ()) if text.startswith(p[0], i)), None)
            out.append(found[1] if found else text[i])
            i += len(found[0]) if found else 1
        return "".join(out)


def _cased(made: str, written: str) -> str:
    letters = [ch for ch in written if ch.isalpha()]
    if len(letters) > 1 and all(ch.isupper() for ch in letters):
        return made.upper()
    return made.lower() if letters and all(ch.islower() for ch in letters) else made


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


def finder(pairs: Iterable[tuple[str, str]], shortest: int) -> Finder:
    """Looks for these values. Of two that differ only in the case of their letters, the one in mixed case counts."""
    out = Finder(shortest)
    for original, replacement in sorted(pairs, key=lambda p: (p[0].isupper() or p[0].islower(), p)):
        out.add(original, replacement)
    out.close()
    return out
