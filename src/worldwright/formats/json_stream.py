"""A JSON document of any length, one element at a time: the items of a list at the top, or values one after the other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TextIO

CHUNK_CHARS = 1 << 20
MAX_VALUE_CHARS = 64 * 1024 * 1024
"""Characters of one element."""
_BETWEEN = re.compile(r"[\s,]*")


def read_values(stream: TextIO, says: Callable[[int, str], None]) -> Iterator[tuple[int, str, Any]]:
    """(line, place, value) for each element. What is no JSON ends it, with a remark on its line."""
    held = _Held(stream)
    listed = held.skip() == "["
    if listed:
        held.take(1)
    number = 0
    while (mark := held.skip()) and not (listed and mark == "]"):
        line = held.line
        try:
            value = held.value()
        except (ValueError, RecursionError) as e:
            says(line, f"not JSON, the rest is skipped: {e}")
            return
        yield line, f"[{number}]" if listed else "", value
        number += 1
    if listed and not held.text:
        says(held.line, "the list has no end: the file may have been cut off")


class _Held:
    """The part of a document that is in memory."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._decoder = json.JSONDecoder()
        self.text = ""
        self._at = 0
        self.line = 1

    def _more(self, size: int) -> bool:
        new = self._stream.read(size)
        self.text = self.text[self._at :] + new
        self._at = 0
        return bool(new)

    def take(self, number: int) -> None:
        self.line += self.text.count("\n", self._at, self._at + number)
        self._at += number

    def skip(self) -> str:
        """Go to the next character that is no space or comma: that character, or nothing at the end."""
        while True:
            found = _BETWEEN.match(self.text, self._at)
            self.take(found.end() - self._at if found else 0)
            if self._at < len(self.text):
                return self.text[self._at]
            if not self._more(CHUNK_CHARS):
                return ""

    def value(self) -> Any:
        """The next value. Where it may go on behind what is in memory, twice as much is read."""
        size = CHUNK_CHARS
        while True:
            try:
                value, end = self._decoder.raw_decode(self.text, self._at)
            except json.JSONDecodeError:
                if len(self.text) - self._at > MAX_VALUE_CHARS:
                    raise ValueError(
                        f"no end within {MAX_VALUE_CHARS:,} characters; JSON Lines can be of any length"
                    ) from None
                if not self._more(size):
                    raise
            else:
                if self._whole(value, end) or not self._more(size):
                    self.take(end - self._at)
                    return value
            size *= 2

    def _whole(self, value: Any, end: int) -> bool:
        """Tell whether nothing behind what is in memory can belong to the value: `0.` may become 0.5."""
        if end == len(self.text):
            return False
        return not isinstance(value, (int, float)) or isinstance(value, bool) or self.text[end] in " \t\r\n,]}"
