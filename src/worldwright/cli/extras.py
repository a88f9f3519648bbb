"""Libraries that are installed on request, or should be there and are not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from worldwright.core.errors import UsageError


def missing_library(error: ModuleNotFoundError) -> str:
    """The library that an import did not find. A module of our own is no such thing: then the error is raised again."""
    library = (error.name or "").partition(".")[0]
    if library in ("", "worldwright"):
        raise error
    return library


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Imports that an extra brings along; where it is not installed, the error says how to get it."""
    try:
        yield
    except ModuleNotFoundError as e:
        raise UsageError(f"this needs {missing_library(e)}: pip install worldwright[{extra}]") from None
