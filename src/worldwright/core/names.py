"""Names people type: the nearest right one, and the words of a name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

IDENTIFIER = re.compile(r"[a-z][a-z0-9_]{0,59}\Z")


def suggest(name: str, known: Iterable[str]) -> str:
    """Suggest a name, such as ``did you mean `vendor`?``, or list the known names where nothing is near."""
    names = sorted(set(known))
    close = get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"did you mean `{close[0]}`?"
    if not names:
        return ""
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"known: {shown}"


def suggest_path(path: Path) -> str:
    """Suggest a path, such as ``; did you mean `examples/bike_workshop`?``; empty where nothing beside the path has such a name."""
    try:
        beside = sorted(entry.name for entry in path.parent.iterdir())
    except OSError:
        return ""
    close = get_close_matches(path.name, beside, n=1, cutoff=0.6)
    return f"; did you mean `{path.parent / close[0]}`?" if close else ""


def to_words(name: str) -> str:
    """Spell `purchase_order` as a person says it: `purchase order`."""
    return name.replace("_", " ")
