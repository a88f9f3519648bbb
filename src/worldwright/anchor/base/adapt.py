"""A Blueprint of the catalogue as a document would have it.

Every change is a proposal: it is made, and taken back where the Blueprint does not load with it. What is not changed keeps the
catalogue as its source, so that everything borrowed says so.

    names and title        what was asked for
    figures of policies    the document's, with cases that hold for them
    sentences              the document's where they say the same as the rule, else its place is cited
    nouns and roles        the document's words for what the Blueprint has
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright import catalogue
from worldwright.anchor.base.cases import mended
from worldwright.anchor.base.figures import Figure, Slot, bounded, comparison, figure, places_of, slots, with_variants
from worldwright.anchor.base.matching import entities_of, roles_of
from worldwright.anchor.base.records import Adapted, Change, Match, Unused
from worldwright.anchor.base.rules import Meant, literal, meant
from worldwright.anchor.base.wording import as_template, clean, reword_all, shortened
from worldwright.anchor.base.words import meanings, same_name
from worldwright.anchor.evidence import Evidence, Person, Source, Thing
from worldwright.anchor.names import noun, parts
from worldwright.blueprint.expand import expand_patterns
from worldwright.blueprint.load import load_text
from worldwright.blueprint.yaml_source import dump_yaml, load_yaml
from worldwright.core.errors import BlueprintError
from worldwright.core.names import words

Data = dict[str, Any]
SECTIONS = ("entities", "terms", "policies", "operations", "always", "goals", "personas")
"""Parts of a Blueprint whose nodes say where they come from."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change to a Blueprint that a document supports."""

    change: Change
    make: Callable[[Data], bool]
    """Makes it; false where it cannot be made."""
    cites: tuple[str, str] = ("", "")
    """Section and name of the node that is the document's from then on."""
    what: str = ""
    """What of the document is not used where it cannot be made."""
