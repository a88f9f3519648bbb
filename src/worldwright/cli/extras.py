"""Libraries that are installed on request, or should be there and are not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from worldwright.core.errors import UsageError


def name_missing_library(error: ModuleNotFoundError) -> str:
    """Name the library that an import did not find. A module of our own is no such thing: then the error is raised again."""
    library = (error.name or "").partition(".")[0]
    if library in ("", "worldwright"):
        raise error
    return library


@contextmanager
def require_extra(extra: str) -> Iterator[None]:
    """Import what an extra brings along; where it is not installed, the error says how to get it."""
    try:
        yield
    except ModuleNotFoundError as e:
        raise UsageError(f"this needs {name_missing_library(e)}: pip install 'worldwright[{extra}]'") from None
