"""Frameworks move. An adapter says which releases it was tried with, and is told apart from the others here."""

from __future__ import annotations

import re
import warnings
from importlib.metadata import PackageNotFoundError, version

from worldwright.core.errors import UsageError

Release = tuple[int, int]


def check_release(package: str, oldest: Release, newest: Release, extra: str) -> None:
    """Refuse a release that is too old, warn of one that is newer than any that was tried. Not installed is no fault."""
    try:
        found = version(package)
    except PackageNotFoundError:
        return
    number = re.match(r"(\d+)\.(\d+)", found)
    release = (int(number[1]), int(number[2])) if number else newest
    if release < oldest:
        wanted = ".".join(map(str, oldest))
        raise UsageError(f"{package} {found} is too old, {wanted} is needed: pip install 'worldwright[{extra}]'")
    if release > newest:
        tried = ".".join(map(str, newest))
        warnings.warn(f"{package} {found} is newer than {tried}, the newest that was tried", stacklevel=3)
