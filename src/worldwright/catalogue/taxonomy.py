"""The plan of the catalogue: categories and their parts, which of them have Blueprints and which are open."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from worldwright import catalogue
from worldwright.blueprint.source import load_yaml


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a category."""

    name: str
    says: str
    domains: tuple[str, ...]
    """None where it is still open."""


@dataclass(frozen=True, slots=True)
class Category:
    name: str
    parts: tuple[Part, ...]

    @property
    def domains(self) -> tuple[str, ...]:
        return tuple(d for part in self.parts for d in part.domains)


def read_taxonomy() -> tuple[Category, ...]:
    """The whole plan, with the domains where they belong."""
    held: dict[str, list[str]] = {}
    for name in catalogue.names():
        held.setdefault(catalogue.read_entry(name).category, []).append(name)
    return tuple(
        Category(
            category,
            tuple(Part(part, says, tuple(held.get(f"{category} / {part}", ()))) for part, says in parts.items()),
        )
        for category, parts in _plan().items()
    )


def list_parts() -> tuple[str, ...]:
    """List every `CATEGORY / PART` that a Blueprint may name."""
    return tuple(f"{category} / {part}" for category, parts in _plan().items() for part in parts)


@lru_cache(maxsize=1)
def _plan() -> dict[str, dict[str, str]]:
    text = (resources.files(catalogue.__name__) / "taxonomy.yaml").read_text(encoding="utf-8")
    plan: dict[str, dict[str, str]] = load_yaml(text, "taxonomy.yaml").data
    return plan
