"""Rules of the evidence as policies of the derived Blueprint: sentences of documents, validations of code, checks of databases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.evidence import Evidence, Rule
from worldwright.anchor.model.operations import Made
from worldwright.anchor.model.records import Resource


@dataclass(frozen=True, slots=True)
class Ruled:
    """What became of the rules."""

    policies: dict[str, Any] = field(default_factory=dict)
    obeys: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    used: tuple[tuple[Rule, str], ...] = ()
    unused: tuple[tuple[Rule, str], ...] = ()


def ruled(evidence: Evidence, resources: Sequence[Resource], made: Sequence[Made]) -> Ruled:
    return Ruled(unused=tuple((rule, "not read yet") for rule in evidence.rules))
