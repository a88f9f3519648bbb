"""What is passed between the steps from a rule to a policy. Records only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.evidence import Rule
from worldwright.anchor.model.records import Entity
from worldwright.anchor.model.ruled.operations import Act
from worldwright.anchor.model.ruled.sentences import Sentence
from worldwright.anchor.model.ruled.subjects import Mention


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence, what it names, and the world that it has to hold in."""

    s: Sentence
    mentions: tuple[Mention, ...]
    resources: Mapping[str, Entity]
    acts: Mapping[str, tuple[Act, ...]]

    @property
    def subjects(self) -> list[Entity]:
        """The things that it names, each once."""
        return list({m.entity.name: m.entity for m in self.mentions}.values())

    @property
    def named(self) -> frozenset[int]:
        """Words that name things."""
        return frozenset(k for m in self.mentions for k in range(m.start, m.end))

    @property
    def free(self) -> tuple[int, ...]:
        """Words that name no thing and are part of no figure."""
        taken = self.named | {k for f in self.s.figures for k in range(f.start, f.end)}
        return tuple(k for k in range(len(self.s.words)) if k not in taken)


@dataclass(frozen=True, slots=True)
class Draft:
    """A policy that was made of a rule, before it is known whether it is kept."""

    entity: Entity
    name: str
    spec: Mapping[str, Any]
    """As a Blueprint has it, but for what it says, who enforces it and its source."""
    says: str
    bound: tuple[tuple[str, Mapping[str, str]], ...]
    """By operation, what the policy is about there."""
    about: tuple[str, ...]
    """What two policies have in common that cannot both hold, or say the same: the first of them is kept."""
    tool: bool = False
    """Whether a system usually sees to it."""
    covered: frozenset[int] = frozenset()
    """The words of the sentence that it takes account of."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """What became of the rules of the evidence."""

    policies: dict[str, Any] = field(default_factory=dict)
    obeys: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """By operation, the statements that bind it."""
    used: tuple[tuple[Rule, str], ...] = ()
    """Each rule with the policy made of it."""
    unused: tuple[tuple[Rule, str], ...] = ()
    """Each other rule, and why there is no policy."""
