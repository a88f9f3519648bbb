"""How long pages of the studio take, on the catalogue's world with most rows.

    python -m benchmarks.studio [--domain NAME] [--rounds 30] [--json]

A world with tasks is put into a store of its own, an agent plays in it, and every sort of page is asked for through the server, a
connection for each. `first` is the first time a page is made, before anything is worked out. Exits 1 where a page that was made
before takes 100 ms.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

import uvicorn
from benchmarks._measure import Figure, table

from worldwright import catalogue
from worldwright.compiler.build import build
from worldwright.facts.rows import count_rows
from worldwright.kinds.database.battery.settings import BULK
from worldwright.kinds.database.compile.tasks.knobs import knobs
from worldwright.rollout.plan import AgentSpec, plan
from worldwright.rollout.run import roll
from worldwright.store.store import Store
from worldwright.studio.access import Access
from worldwright.studio.app import make_app
from worldwright.studio.context import Studio, make_context
from worldwright.studio.server import bind

SEED, TASKS = 7, 12
LARGEST = "loan_servicing"
TARGET_S = 0.1


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default=LARGEST, choices=catalogue.names())
    parser.add_argument("--rounds", type=int, default=30, help="how often each page is asked for")
    parser.add_argument("--json", action="store_true")
    said = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        digest = furnish(Path(folder), said.domain)
        with serving(Path(folder)) as studio:
            figures = [*measure_pages(studio, digest, said.rounds)]
    print(json.dumps([figure.data() for figure in figures], indent=2) if said.json else table(figures))
    return int(any(figure.holds is False for figure in figures))


def furnish(root: Path, domain: str) -> str:
    """Build a world, keep it in a store, and let an agent play in it; its digest."""
    store = Store(root / "home")
    pack = build(catalogue.load(domain), SEED, knobs=knobs("medium", {"most": str(TASKS)}), battery=BULK).pack
    store.put(pack.files, pack.manifest)
    store.tag(domain, "latest", f"default-{SEED}", pack.manifest.digest)
    place = str(store.pack_path(pack.manifest.digest))
    roll(plan(place, AgentSpec("hasty")), root / "here" / "runs" / "hasty", 0)
    return pack.manifest.digest


@contextmanager
def serving(root: Path) -> Iterator[Studio]:
    """Serve the studio over a store from this process."""
    listening = bind(0)
    studio = make_context(
        Access(int(listening.getsockname()[1])), root / "home", (), root / "here", measures_catalogue=False
    )
    server = uvicorn.Server(uvicorn.Config(make_app(studio), log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        sleep(0.01)
    try:
        yield studio
    finally:
        studio.stopping.set()
        server.should_exit = True
        thread.join(10)
        listening.close()


def list_pages(studio: Studio, digest: str) -> dict[str, str]:
    """A page of every sort that grows with a world or a run."""
    world, counts = f"/world/{digest}", count_rows(studio.worlds.open(digest).pack.world)
    largest = max(counts, key=lambda name: counts[name])
    [run] = [place.id for place in studio.runs.list_runs()]
    episode = studio.runs.list_rows(studio.runs.find(run)[1])[0].id
    return {
        "shelf": "/",
        "world": world,
        "tables": f"{world}/tables",
        "table": f"{world}/tables/{largest}",
        "table_searched": f"{world}/tables/{largest}?q=a",
        "entities": f"{world}/entities",
        "tools": f"{world}/tools",
        "graph": f"{world}/graph",
        "rules": f"{world}/rules",
        "tasks": f"{world}/tasks",
        "task": f"{world}/tasks/1",
        "proof": f"{world}/proof",
        "handbook": f"{world}/handbook",
        "run": f"/runs/{run}",
        "episodes": f"/runs/{run}/episodes",
        "episode": f"/runs/{run}/episodes/{episode}",
        "search": "/search?q=loan",
    }


def measure_pages(studio: Studio, digest: str, rounds: int) -> Iterator[Figure]:
    for name, path in list_pages(studio, digest).items():
        first = _ask(studio, path)
        again = median(_ask(studio, path) for _ in range(rounds))
        shown = f"`{path.replace(digest, 'DIGEST')}`"
        yield Figure(name, shown, "s", again, "the first time", first, target=TARGET_S, absolute=True)


def _ask(studio: Studio, path: str) -> float:
    access = studio.access
    connection = HTTPConnection("127.0.0.1", access.port, timeout=60)
    begin = perf_counter()
    connection.request("GET", path, headers={"Cookie": f"{access.cookie}={access.session}"})
    answer = connection.getresponse()
    body = answer.read()
    took = perf_counter() - begin
    connection.close()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status} {body[:200]!r}")
    return took


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
