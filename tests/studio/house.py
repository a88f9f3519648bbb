"""A studio with something in every room: worlds, runs, an arena, a training, a bench; and a server for it in this process."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import uvicorn
from tests.author.conftest import lay_bench
from tests.shared_builds import build
from tests.worlds import EXAMPLE

from worldwright.anchor.intake.dispatch import Input
from worldwright.anchor.intake.uploads import read_uploads
from worldwright.anchor.lock.build import AnchorOptions, build_anchor
from worldwright.arena.contest import plan_contest, run_folder, summarise_contest, write_contest
from worldwright.arena.evaluate import Worlds, evaluate
from worldwright.arena.fresh import gather_field
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_file
from worldwright.compiler import build as pipeline
from worldwright.kinds.database.battery.settings import BULK
from worldwright.kinds.database.compile.tasks.knobs import knobs
from worldwright.pack.open import Pack
from worldwright.rollout.plan import AgentSpec, TaskFilter, plan
from worldwright.rollout.records import Limits
from worldwright.rollout.run import roll
from worldwright.store.anchors import Anchors
from worldwright.store.store import Store
from worldwright.studio.access import Access
from worldwright.studio.app import make_app
from worldwright.studio.context import Studio, make_context
from worldwright.studio.server import bind

WORKSHOP = EXAMPLE.parent / "bike_workshop"
TASKS = 8


def library() -> Pack:
    """The town library with a few tasks."""
    return build(load_file(EXAMPLE), 7, knobs=knobs("medium", {"most": str(TASKS)}), battery=BULK).pack


@dataclass(frozen=True, slots=True)
class House:
    """Folders with something of everything."""

    home: Path
    here: Path
    digest: str
    """Of the world with tasks."""


def furnish_world(store: Store, checked: Checked) -> str:
    """Keep a world of a Blueprint, without tasks; its digest."""
    pack = pipeline.build(checked, 7, with_tasks=False).pack
    store.put(pack.files, pack.manifest)
    store.tag(pack.manifest.name, "latest", "default-7", pack.manifest.digest)
    return pack.manifest.digest


def furnish(root: Path) -> House:
    """Put something into every room."""
    home, here = root / "home", root / "here"
    here.mkdir(parents=True)
    store, pack = Store(home), library()
    bare = build(load_file(EXAMPLE), 7, with_tasks=False).pack
    for name, one in (("default-7", pack), ("bare-7", bare)):
        store.put(one.files, one.manifest)
        store.tag("town_library", "both", name, one.manifest.digest)
    store.tag("town_library", "latest", "default-7", pack.manifest.digest)
    world = str(store.pack_path(pack.manifest.digest))
    for agent in ("planner", "hasty"):
        roll(plan(world, AgentSpec(agent), attempts=2), here / "runs" / agent, 0)
    _hold_arena(world, here / "arena")
    steps = [{"stage": "sft", "step": n, "loss": 2.0 / (n + 1), "tokens": 900 + n} for n in range(40)]
    steps += [{"stage": "grpo", "step": n, "reward": n / 20, "solved": n / 20} for n in range(12)]
    training = here / "runs" / "training"
    training.mkdir()
    (training / "metrics.jsonl").write_text("".join(json.dumps(one) + "\n" for one in steps))
    (training / "run.yaml").write_text("model: small\ngyms: [town_library]\n")
    lay_bench(here / "library")
    keep_workshop(home)
    return House(home, here, pack.manifest.digest)


def keep_workshop(home: Path) -> None:
    """Keep an anchor of an OpenAPI document and a page of rules."""
    given = [Input("any", str(WORKSHOP), tuple(read_uploads(WORKSHOP)))]
    Anchors(home).put(build_anchor(given, AnchorOptions(name="workshop")))


def _hold_arena(world: str, out: Path) -> None:
    field = gather_field((world,), TaskFilter(), 1, 0)
    places, found = Worlds(field.places), []
    for agent in ("planner", "hasty"):
        made = plan_contest(field, AgentSpec(agent), Limits())
        found.append(evaluate(roll(made, run_folder(out, made), 0), places))
    write_contest(out, summarise_contest(field, found, found[0]))


@dataclass(frozen=True, slots=True)
class Running:
    """A studio that answers."""

    studio: Studio
    url: str

    def visitor(self, **headers: str) -> Visitor:
        """Somebody who has been let in."""
        made = Visitor(self, headers)
        made.get("/", token=self.studio.access.token)
        return made


class Visitor:
    """A browser without a screen: it keeps the cookie, and says where a form comes from."""

    def __init__(self, running: Running, headers: dict[str, str]) -> None:
        self.running = running
        self.client = httpx2.Client(base_url=running.url, timeout=60, follow_redirects=True, headers=headers)

    def get(self, path: str, **query: str) -> httpx2.Response:
        return self.client.get(path, params=query or None)

    def post(self, path: str, **fields: str | list[str]) -> httpx2.Response:
        """Send a form of the studio's own."""
        data = {"_form": self.running.studio.access.form, **fields}
        return self.client.post(path, data=data, headers={"Origin": self.running.url})

    def page(self, path: str, **query: str) -> str:
        """The text of a page that has to be there."""
        answer = self.get(path, **query)
        assert answer.status_code == 200, (path, answer.status_code, strip(answer.text)[:400])
        return answer.text

    def words(self, path: str, **query: str) -> str:
        return strip(self.page(path, **query))


def strip(html: str) -> str:
    """The words of a page, without its marks."""
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


@contextmanager
def running(house: House, access: Access | None = None) -> Iterator[Running]:
    """Serve a house from this process."""
    listening = bind(0)
    port = int(listening.getsockname()[1])
    studio = make_context(access or Access(port), house.home, (), house.here, measures_catalogue=False)
    config = uvicorn.Config(make_app(studio), log_level="warning", lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Running(studio, f"http://127.0.0.1:{port}")
    finally:
        studio.stopping.set()
        server.should_exit = True
        thread.join(10)
        listening.close()
