"""Blueprints that were loaded before, and those that differ from them in their policies' named parameters alone.

Thousands of worlds of a family share everything but `variant`. Such a Blueprint is taken apart at that section: what is left is
loaded once, and the parameters are chosen anew (see `choice`), which gives the same as reading it whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_text
from worldwright.blueprint.policy_parameters import choose_parameters
from worldwright.blueprint.source import load_yaml
from worldwright.core.errors import BlueprintError

_SECTION = re.compile(r"^variant:[^\n]*\n(?:[ ][^\n]*\n)*", re.MULTILINE)
_USUAL = "default"
"""Said of a policy, this is left out when parameters are chosen anew: such a section is read as it stands."""


@lru_cache(maxsize=16)
def load_cached(text: str, file: str = "blueprint.yaml") -> Checked:
    """Load a text once: many seeds of one variant share everything derived from it, and its siblings most of it."""
    rest, variant = split_variant(text, file)
    if not variant:
        return _load_default(text, file)
    try:
        return choose_parameters(_load_default(rest, file), variant)
    except BlueprintError:
        return load_text(text, file)  # says it with the right lines


@lru_cache(maxsize=16)
def _load_default(text: str, file: str) -> Checked:
    return load_text(text, file)


def split_variant(text: str, file: str = "blueprint.yaml") -> tuple[str, Mapping[str, str]]:
    """A Blueprint without its `variant`, and that; nothing of it where it cannot be cut out."""
    found = list(_SECTION.finditer(text))
    if len(found) != 1:
        return text, {}
    try:
        data = load_yaml(found[0][0], file).data
    except BlueprintError:
        return text, {}
    named = data.get("variant") if isinstance(data, dict) else None
    if not isinstance(named, dict) or not all(isinstance(one, str) and one != _USUAL for one in named.values()):
        return text, {}
    return text[: found[0].start()] + text[found[0].end() :], named
