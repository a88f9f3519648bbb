"""Features whose libraries are installed on request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from worldwright.core.errors import UsageError


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Imports that an extra brings along; where it is not installed, the error says how to get it."""
    try:
        yield
    except ModuleNotFoundError as e:
        if e.name and e.name.startswith("worldwright"):
            raise
        raise UsageError(f"this needs {e.name}: pip install worldwright[{extra}]") from None
