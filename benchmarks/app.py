"""What a page of the app costs beside the call that it is, and what an app episode costs beside a plain one.

    python -m benchmarks.app [--domain NAME] [--rounds 60] [--episodes 300] [--json]

Pages are those of the catalogue's world with most rows, unless another is named. `page` figures are the time from a request's path
to the bytes of the page, in the process, against the bare call with the same arguments; `http` is the same through the server, a
connection for each page. `reset` opens and closes an episode of the town library in the app, against a plain one. `episodes` are so
many of it on one server: opened, and a list of each looked at by four visitors at once. Exits 1 where a target is missed: no page
may take 100 ms, and an episode in the app may cost no more than three plain ones.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from time import perf_counter
from urllib.parse import urlencode

from benchmarks._measure import Figure, Side, interleaved, table

from worldwright import catalogue
from worldwright.app import AppServer, AppSession
from worldwright.app.screens.records import ListScreen, Screens
from worldwright.app.web.server import respond
from worldwright.blueprint.load import load_file
from worldwright.compiler.build import build
from worldwright.core.errors import UsageError
from worldwright.engine.world import World
from worldwright.store.open import world_of

SEED = 7
LARGEST = "loan_servicing"
PAGE_TARGET_S = 0.1
RESET_TARGET = 3.0
VISITORS = 4
LIBRARY = Path(__file__).parents[1] / "examples" / "town_library.yaml"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default=LARGEST, choices=catalogue.names())
    parser.add_argument("--rounds", type=int, default=60, help="how often each page is made")
    parser.add_argument("--episodes", type=int, default=300, help="how many share the server")
    parser.add_argument("--json", action="store_true")
    said = parser.parse_args(arguments)
    world = world_of(build(catalogue.load(said.domain), SEED, with_tasks=False).pack)
    library = world_of(build(load_file(LIBRARY), SEED).pack)
    server = AppServer()
    server.start()
    try:
        figures = [
            *measure_pages(world, server, said.rounds),
            *measure_episodes(library, server, said.rounds, said.episodes),
        ]
    finally:
        server.stop()
    if said.json:
        print(
            json.dumps(
                [{"name": f.name, "ours": f.ours, "reference": f.reference, "target": f.target} for f in figures]
            )
        )
    else:
        print(f"{said.domain}, {world.manifest.counts.get('rows', 0):,} rows")
        print(table(figures))
    return int(any(figure.holds is False for figure in figures))


# pages


def choose_pages(screens: Screens, session: AppSession) -> dict[str, tuple[str, str, str, dict[str, object]]]:
    """Pages by name: path, query, and the call that they are."""
    longest = max(screens.lists.values(), key=lambda screen: _count_rows(session, screen))
    most = {longest.paging.limit: longest.paging.most} if longest.paging.limit else {}
    out: dict[str, tuple[str, str, str, dict[str, object]]] = {
        "list": (f"list/{longest.form.slug}", "", longest.form.tool, {}),
        "list_full": (f"list/{longest.form.slug}", urlencode(most), longest.form.tool, dict(most)),
    }
    for record in screens.records.values():
        found = _first_id(session, screens, record.entity)
        if found:
            given: dict[str, object] = {record.key: found}
            out["record"] = (f"open/{record.form.slug}", urlencode(given), record.form.tool, given)
            break
    return out


def _count_rows(session: AppSession, screen: ListScreen) -> int:
    if screen.needs:
        return -1
    result = session.episode.call(screen.form.tool, {})
    return int(result.data["total"]) if result.ok and screen.paging.total_at == ("total",) else -1


def _first_id(session: AppSession, screens: Screens, entity: str) -> str:
    for screen in screens.lists.values():
        if screen.entity == entity and not screen.needs:
            items = session.episode.call(screen.form.tool, {"limit": 1}).data["items"]
            return str(items[0]["id"]) if items else ""
    return ""


def measure_pages(world: World, server: AppServer, rounds: int) -> list[Figure]:
    """Each kind of page, in the process and through the server, against its call."""
    out: list[Figure] = []
    finder = server.sessions.open(world, None)
    pages = choose_pages(finder.screens, finder)
    fast: list[float] = []
    for name, (path, query, tool, given) in pages.items():
        asked = f"{path}?{query}" if query else path
        page, call = interleaved(rounds, make_page(server, world, path, query), make_call(server, world, tool, given))
        (http,) = interleaved(max(10, rounds // 3), fetch(server, world, asked))
        fast.append(page)
        out += [
            Figure(f"page_{name}", f"`{path}`", "s", page, "the bare call", call),
            Figure(f"most_{name}", "the same, by itself", "s", page, target=PAGE_TARGET_S, absolute=True),
            Figure(f"http_{name}", "the same through the server", "s", http, target=PAGE_TARGET_S, absolute=True),
        ]
    form = next(form for form in finder.screens.forms.values() if form.method == "do")
    (empty,) = interleaved(rounds, make_page(server, world, f"do/{form.slug}", ""))
    out.append(
        Figure("page_form", f"`do/{form.slug}`, which is no call", "s", empty, target=PAGE_TARGET_S, absolute=True)
    )
    out.append(Figure("pages", "lists of ten rows a second, one after the other", "/s", 1 / fast[0]))
    server.sessions.close(finder)
    return out


def make_page(server: AppServer, world: World, path: str, query: str) -> Side:
    def side(_: int) -> float:
        session = server.sessions.open(world, None)
        begin = perf_counter()
        answer = respond(session, "GET", path, query)
        took = perf_counter() - begin
        server.sessions.close(session)
        if answer.status_code != 200:
            raise UsageError(f"{path}?{query} was answered with {answer.status_code}")
        return took

    return side


def make_call(server: AppServer, world: World, tool: str, given: dict[str, object]) -> Side:
    def side(_: int) -> float:
        session = server.sessions.open(world, None)
        begin = perf_counter()
        session.episode.call(tool, given)
        took = perf_counter() - begin
        server.sessions.close(session)
        return took

    return side


def fetch(server: AppServer, world: World, page: str) -> Side:
    def side(_: int) -> float:
        session = server.sessions.open(world, None)
        took = _get(server, f"{session.path}{page}")
        server.sessions.close(session)
        return took

    return side


def _get(server: AppServer, path: str) -> float:
    begin = perf_counter()
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    if answer.status != 200:
        raise UsageError(f"{path} was answered with {answer.status}")
    return perf_counter() - begin


# episodes


def measure_episodes(world: World, server: AppServer, rounds: int, episodes: int) -> list[Figure]:
    """What an episode costs to begin and to end, and what hundreds on one server cost."""
    task = world.tasks[0].id

    def repeat(work: Callable[[], None]) -> Side:
        def side(_: int) -> float:
            begin = perf_counter()
            for _ in range(20):
                work()
            return (perf_counter() - begin) / 20

        return side

    def plain() -> None:
        world.open(task).close()

    def in_app() -> None:
        server.sessions.close(server.sessions.open(world, task))

    app, bare = interleaved(rounds, repeat(in_app), repeat(plain))
    begin = perf_counter()
    opened = [server.sessions.open(world, task) for _ in range(episodes)]
    opening = (perf_counter() - begin) / episodes
    page = next(f"list/{s.form.slug}" for s in opened[0].screens.lists.values() if not s.needs)
    begin = perf_counter()
    with ThreadPoolExecutor(VISITORS) as pool:
        list(pool.map(lambda session: _get(server, f"{session.path}{page}"), opened))
    visiting = perf_counter() - begin
    for session in opened:
        server.sessions.close(session)
    return [
        Figure(
            "reset",
            "opening and closing an episode in the app",
            "s",
            app,
            "a plain one",
            bare,
            target=RESET_TARGET,
        ),
        Figure("episodes", f"opening one of {episodes} that stay open", "s", opening),
        Figure(
            "visits",
            f"pages a second of {episodes} episodes on one server, {VISITORS} visitors",
            "/s",
            episodes / visiting,
        ),
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
