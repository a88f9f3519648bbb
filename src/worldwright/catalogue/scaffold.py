"""A Blueprint to start from: a small business that checks and builds, under a name of one's own."""

from __future__ import annotations

import re
from importlib import resources

from worldwright import catalogue
from worldwright.catalogue import taxonomy
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest, to_words

_NAME = re.compile(r"[a-z][a-z0-9_]{2,39}\Z")


def write_scaffold(name: str, category: str, title: str = "") -> str:
    """The text of a new Blueprint."""
    if not _NAME.match(name):
        raise UsageError(
            f"{name[:60]!r} is no name of a Blueprint: lower case letters, digits and _, such as sea_freight"
        )
    if name in catalogue.names():
        raise UsageError(f"the catalogue has a {name} already; `worldwright catalog show {name}`")
    chosen = title or to_words(name).capitalize()
    if not chosen.isprintable() or any(ch in chosen for ch in ":#{}[]\"'&*|>%@`"):
        raise UsageError(f"{chosen[:60]!r} is no title: plain words, without signs that YAML reads")
    template = (resources.files(catalogue.__name__) / "scaffold.yaml").read_text(encoding="utf-8")
    return template.format(name=name, title=chosen, category=category)


def find_part(said: str) -> str:
    """Find the `CATEGORY / PART` of the plan that is meant: written out, or the part alone."""
    places = taxonomy.list_parts()
    folded = " ".join(said.casefold().split())
    found = [p for p in places if folded in (p.casefold(), p.casefold().partition(" / ")[2])]
    if len(found) == 1:
        return found[0]
    inside = [p for p in places if p.casefold().startswith(f"{folded} / ")]
    if inside:
        raise UsageError(f"{said!r} has parts, name one of them: {'; '.join(inside)}")
    raise UsageError(f"the plan has no place {said[:60]!r}; {suggest(said, places)}; `worldwright catalog` lists them")
