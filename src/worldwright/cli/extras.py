"""Features whose libraries are installed on request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from worldwright.core.errors import UsageError


class MissingExtra(UsageError):
    """A library that comes with an extra is not installed."""

    def __init__(self, missing: ModuleNotFoundError, extra: str) -> None:
        if not missing.name or missing.name.startswith("worldwright"):
            raise missing
        super().__init__(f"this needs {missing.name}: pip install worldwright[{extra}]")


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Imports that an extra brings along; where it is not installed, the error says how to get it."""
    try:
        yield
    except ModuleNotFoundError as e:
        raise MissingExtra(e, extra) from None
