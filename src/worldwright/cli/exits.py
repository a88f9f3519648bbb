"""Exit codes. They mean the same for every command and are documented in docs/cli.md."""

from __future__ import annotations

from worldwright.core.errors import (
    BlueprintError,
    BuildError,
    PackError,
    StoreError,
    UsageError,
    WorldwrightError,
)

OK = 0
FAILED = 1
"""The thing was looked at and does not hold: a Blueprint with findings, a verdict that is not pass."""
USAGE = 2
"""The command was called wrongly."""
NOT_FOUND = 3
"""A file, a domain or a reference that is not there."""
UNTRUSTED = 4
"""A pack that is damaged, tampered with or not a pack."""
BUILD = 5
"""A world could not be built."""
INTERRUPTED = 130

_CODES: tuple[tuple[type[WorldwrightError], int], ...] = (
    (BlueprintError, FAILED),
    (PackError, UNTRUSTED),
    (StoreError, NOT_FOUND),
    (UsageError, USAGE),
    (BuildError, BUILD),
)


def exit_code(error: WorldwrightError) -> int:
    return next((code for kind, code in _CODES if isinstance(error, kind)), FAILED)
