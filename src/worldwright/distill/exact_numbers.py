"""Numbers that come through Hugging Face `datasets` as they are.

Its JSON columns are written with ten decimals and read by multiplying digits with a power of ten, so 0.57 comes back as
0.5700000000000001, and a trainer would teach exactly that. What cannot be kept is left out rather than changed. A test holds this
file to the library itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

DECIMALS = 10
WHOLE = 2**63
_HALF = re.compile("[\ud800-\udfff]")
"""Half a character: no text."""


def survives_datasets(value: Any) -> bool:
    """Return whether everything in a value comes back the same."""
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int):
        return -WHOLE <= value < WHOLE
    if isinstance(value, float):
        return _read_back(value) == value
    if isinstance(value, str):
        return not _HALF.search(value)
    if isinstance(value, Mapping):
        return all(survives_datasets(k) and survives_datasets(v) for k, v in value.items())
    return all(map(survives_datasets, value))


def _read_back(value: float) -> float | None:
    """Return what comes back of a number; None where it takes another form than digits and a point."""
    if not abs(value) < 1e15:
        return None
    whole, _, part = f"{abs(value):.{DECIMALS}f}".partition(".")
    part = part.rstrip("0") or "0"
    found = int(whole) + int(part) * float(f"1e-{len(part)}")
    return -found if value < 0 else found
