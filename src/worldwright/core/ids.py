"""Ids handed out in order: `PO-00412` after `PO-00411`.

Where ids must be numbers, or UUIDs, the prefix is made of digits: `1010412`, `5e0c93aa-71f2-4d0b-8c11-000000000412`. Where they
begin with something that others have too, digits follow it: `se-1010412`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-"
_LED = "(?:[a-z][A-Za-z_:]{0,7}[-_])?[1-9][0-9]{2}"
_FORMAT = re.compile(rf"([A-Z][A-Z0-9]{{0,11}}-(?=#{{2,9}}\Z)|{_LED}(?=#{{4,9}}\Z)|{_UUID}(?=#{{12}}\Z))(#+)\Z")
_ID = re.compile(rf"([A-Z][A-Z0-9]{{0,11}}-(?=[0-9]{{2,}}\Z)|{_LED}(?=[0-9]{{4,}}\Z)|{_UUID}(?=[0-9]{{12}}\Z))")
_NUMBERS_IN_JSON = re.compile(r"[:,\[] ?([1-9][0-9]{6,})(?=[,\]}])")


@dataclass(frozen=True, slots=True)
class KeyFormat:
    """`PO-#####`, `101####`: a prefix and a number of digits (more digits come when they are needed)."""

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


def prefix_of(text: str) -> str:
    """The prefix of what may be an id; empty for what is none."""
    found = _ID.match(text)
    return found[1] if found else ""


def find_numeric_ids(text: str) -> list[int]:
    """Find what may be ids that are numbers in a JSON text."""
    return [int(number) for number in _NUMBERS_IN_JSON.findall(text)]
