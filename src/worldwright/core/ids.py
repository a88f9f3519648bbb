"""Ids handed out in order: `PO-00412` after `PO-00411`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FORMAT = re.compile(r"([A-Z][A-Z0-9]{0,11}-)(#{2,9})\Z")


@dataclass(frozen=True, slots=True)
class KeyFormat:
    """`PO-#####`: a prefix and a number of digits (more digits come when they are needed)."""

    prefix: str
    digits: int

    @staticmethod
    def parse(text: str) -> KeyFormat | None:
        m = _FORMAT.match(text)
        return KeyFormat(m[1], len(m[2])) if m else None

    def make(self, number: int) -> str:
        return f"{self.prefix}{number:0{self.digits}d}"

    def number(self, key: str) -> int | None:
        """The number of an id of this format; None where it is not one."""
        rest = key[len(self.prefix) :]
        if not key.startswith(self.prefix) or not (rest.isascii() and rest.isdigit()) or len(rest) < self.digits:
            return None
        return int(rest)
