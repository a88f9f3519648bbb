"""What every page of one studio works with."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from starlette.requests import Request

from worldwright.store.anchors import Anchors
from worldwright.store.store import Store
from worldwright.studio.access import Access
from worldwright.studio.forms import Form, read_form
from worldwright.studio.hands import Hands
from worldwright.studio.in_app import InApp
from worldwright.studio.jobs import Jobs
from worldwright.studio.measured import CatalogueMeasures
from worldwright.studio.opened import Worlds
from worldwright.studio.pages import Pages
from worldwright.studio.places import Places
from worldwright.studio.runs import Runs

FOLDER = "studio"


@dataclass(frozen=True, slots=True)
class Studio:
    """One studio while it runs."""

    access: Access
    store: Store
    anchors: Anchors
    places: Places
    worlds: Worlds
    pages: Pages
    measures: CatalogueMeasures
    jobs: Jobs
    runs: Runs
    hands: Hands
    in_app: InApp
    stopping: Event = field(default_factory=Event)
    """Set when the studio ends: what follows something ends with it."""

    @property
    def folder(self) -> Path:
        """The studio's own folder in the store: what it started, and episodes played by hand."""
        return self.store.root / FOLDER

    async def take_form(self, request: Request) -> Form:
        """What a form of ours sent: the dependency of every route that writes."""
        return await read_form(request, self.access)


def make_context(
    access: Access,
    home: Path | None = None,
    runs: tuple[Path, ...] = (),
    here: Path | None = None,
    measures_catalogue: bool = True,
) -> Studio:
    """Make the context of a studio over a store, folders that were named, and the folder that it was started in."""
    store = Store(home)
    places = Places(runs, here or Path.cwd())
    jobs = Jobs(store.root / FOLDER, store.root, places.here)
    measures = CatalogueMeasures(store.root / FOLDER / "catalogue.json", measures_catalogue)
    worlds = Worlds(store, places)
    hands = Hands(store.root / FOLDER, worlds)
    return Studio(
        access, store, Anchors(store.root), places, worlds, Pages(access), measures, jobs, Runs(places), hands,
        InApp(hands, worlds),
    )  # fmt: skip
