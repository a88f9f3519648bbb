"""What there is: references of a store with the world that is newest under each, in short."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from worldwright import catalogue
from worldwright.core.errors import WorldwrightError
from worldwright.core.names import to_words
from worldwright.store.store import Store
from worldwright.world.manifest import Manifest

COUNTED = ("tables", "rows", "tools", "policies", "tasks")
"""Of the counts of a manifest, those by which one knows a world."""


@dataclass(frozen=True, slots=True)
class GymFacts:
    """A reference with its variants."""

    name: str
    tag: str
    title: str
    variants: int
    newest: str
    """The variant that was tagged last."""
    digest: str
    """Of that one."""
    manifest: Manifest | None
    """None where the pack is gone or damaged."""
    problem: str
    """Why, then."""

    @property
    def counts(self) -> tuple[int | None, ...]:
        """The counts of the newest world, None where it has no such thing."""
        return tuple(None if self.manifest is None else self.manifest.counts.get(name) for name in COUNTED)


def list_gyms(store: Store, read: Callable[[str], Manifest]) -> list[GymFacts]:
    """List every reference of a store. One that cannot be read is listed with the reason."""
    return [_describe(store, name, tag, read) for name, tag in store.list_references()]


def _describe(store: Store, name: str, tag: str, read: Callable[[str], Manifest]) -> GymFacts:
    title = title_of(name)
    try:
        variants = store.variants(name, tag)
    except WorldwrightError as e:
        return GymFacts(name, tag, title, 0, "", "", None, str(e))
    newest, digest = list(variants.items())[-1]
    try:
        manifest, problem = read(digest), ""
    except WorldwrightError as e:
        manifest, problem = None, str(e)
    return GymFacts(name, tag, title, len(variants), newest, digest, manifest, problem)


def title_of(name: str) -> str:
    """The title of a business: as the catalogue has it, or its name in words."""
    return catalogue.read_entry(name).title if name in catalogue.names() else to_words(name).capitalize()
