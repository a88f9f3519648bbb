"""The shipped Blueprints: one YAML file per domain, found by looking in `blueprints/`, and the plan that they fill."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.siblings import load_cached
from worldwright.blueprint.source import load_yaml
from worldwright.core.errors import StoreError
from worldwright.core.names import suggest

_FOLDER = resources.files(__name__) / "blueprints"


@dataclass(frozen=True, slots=True)
class Entry:
    """A domain as the catalogue lists it."""

    name: str
    title: str
    category: str
    """CATEGORY / PART, as in the taxonomy."""
    summary: str


def names() -> tuple[str, ...]:
    return tuple(sorted(f.name.removesuffix(".yaml") for f in _FOLDER.iterdir() if f.name.endswith(".yaml")))


@lru_cache(maxsize=64)
def text(name: str) -> str:
    """The Blueprint of a domain, as its author wrote it."""
    if name not in names():
        raise StoreError(f"the catalogue has no domain `{name}`; {suggest(name, names())}")
    return (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


def load(name: str) -> Checked:
    return load_cached(text(name), f"catalogue/{name}.yaml")


@lru_cache(maxsize=64)
def read_entry(name: str) -> Entry:
    """Read what the first lines of a Blueprint say, without reading the rest."""
    data = load_yaml(_head(text(name)), f"{name}.yaml").data
    return Entry(name, str(data.get("title", "")), str(data.get("category", "")), str(data.get("summary", "")).strip())


def _head(blueprint: str) -> str:
    """A Blueprint up to its first long section."""
    ends = [at for section in ("systems", "roles", "use", "entities") if (at := blueprint.find(f"\n{section}:")) > 0]
    return blueprint[: min(ends)] if ends else blueprint
