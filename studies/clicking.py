"""Play every task of the catalogue by clicking: an oracle in a real browser has to come to where the oracle with tools comes.

    python -m studies.clicking [--domain NAME ...] [--limit 10] [--workers 2] [--out runs/clicking] [--plain]
    python -m studies.clicking --report [--out runs/clicking]

Of each task the key is played twice: its calls by the engine's own tools, and in the app, by an oracle that finds its way by the
names that a person sees (`worldwright.app.oracle`) in Debian's Chromium. A task is held where both end in the same state digest,
the verdict of the clicked episode is a pass, and its log, judged anew by `world.judge`, gives the same verdict; and where somebody
who only looks around scores nothing. `--plain` switches JavaScript off: everything works without it.

The worlds are those that `worldwright generate --domain NAME --seed 7` makes; they are taken from the store, or made. What was
played is kept, a line for each task: started again, it goes on. The exit code is 1 where a task is not held.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, sync_playwright

from worldwright import catalogue, open_world
from worldwright.app.oracle import ClickOracle, Lost
from worldwright.core.errors import StoreError
from worldwright.engine.world import World
from worldwright.world.tasks import Task

SEED = 7
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip
"""What makes Debian's Chromium fit for a test: nothing of it talks to anybody."""
PATIENCE_MS = 20_000
MAX_TRIES = 2
"""How often a task is tried where the browser itself fails."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a task came to."""

    task: str
    passed: bool
    same: bool
    """Whether it ended in the state that the tools lead to."""
    idle: bool
    """Whether looking around scored nothing."""
    clicks: int
    calls: int
    seconds: float
    why: str = ""

    @property
    def good(self) -> bool:
        return self.passed and self.same and self.idle


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m studies.clicking", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--domain", action="append", choices=catalogue.names(), metavar="NAME", help="only this one")
    parser.add_argument(
        "--limit", type=int, default=0, metavar="N", help="so many tasks of each domain, spread over it"
    )
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="browsers at once")
    parser.add_argument(
        "--out", type=Path, default=Path("runs/clicking"), metavar="FOLDER", help="where results are kept"
    )
    parser.add_argument("--plain", action="store_true", help="without JavaScript")
    parser.add_argument("--report", action="store_true", help="play nothing: print what is kept")
    said = parser.parse_args(arguments)
    names = tuple(said.domain or catalogue.names())
    said.out.mkdir(parents=True, exist_ok=True)
    if not said.report:
        play_domains(names, said.limit, said.workers, said.out, said.plain)
    return report(names, said.out)


def play_domains(names: Sequence[str], limit: int, workers: int, out: Path, plain: bool) -> None:
    """Play domains in processes of their own, each with a browser."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(play_domain, name, limit, out, plain): name for name in names}
        for done in as_completed(waiting):
            held = done.result()
            good = sum(one.good for one in held)
            print(f"{waiting[done]}: {good} of {len(held)} held", file=sys.stderr, flush=True)


def play_domain(name: str, limit: int, out: Path, plain: bool) -> list[Held]:
    """Play the tasks of a domain that were not played yet; give all."""
    world = find_world(name)
    file = out / f"{name}.jsonl"
    known = {one.task: one for one in read_kept(file)}
    tasks = choose_tasks(world.tasks, limit)
    left = [task for task in tasks if task.id not in known or not known[task.id].good]
    with sync_playwright() as playwright, file.open("a", encoding="utf-8") as kept:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        for number, task in enumerate(left, start=1):
            held = play_task(world, task, browser, plain)
            known[task.id] = held
            kept.write(json.dumps(asdict(held)) + "\n")
            kept.flush()
            if not held.good or number % 10 == 0:
                print(f"{name}: {number} of {len(left)}  {held.task} {held.why}", file=sys.stderr, flush=True)
        browser.close()
    return [known[task.id] for task in tasks]


def choose_tasks(tasks: Sequence[Task], limit: int) -> list[Task]:
    """All tasks, or so many spread over them."""
    if not limit or limit >= len(tasks):
        return list(tasks)
    return [tasks[n * len(tasks) // limit] for n in range(limit)]


def find_world(name: str) -> World:
    """The world of a domain from the store; made there where it is missing."""
    reference = f"{name}:latest/default-{SEED}"
    try:
        return open_world(reference)
    except StoreError:
        command = [sys.executable, "-m", "worldwright", "generate", "--domain", name, "--seed", str(SEED)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return open_world(reference)


def play_task(world: World, task: Task, browser: Browser, plain: bool) -> Held:
    """Play one task with tools, by clicking, and by looking around."""
    for attempt in range(MAX_TRIES):
        started = time.monotonic()
        try:
            clicks, calls, passed, same, why = click_task(world, task, browser, plain)
            idle = look_around(world, task, browser)
            return Held(task.id, passed, same, idle, clicks, calls, round(time.monotonic() - started, 2), why)
        except (Lost, Error) as e:
            why = f"{type(e).__name__}: {str(e)[:400]}"
            if isinstance(e, Lost) or attempt == MAX_TRIES - 1:
                return Held(task.id, False, False, False, 0, 0, round(time.monotonic() - started, 2), why)
    raise AssertionError("unreachable")


def click_task(world: World, task: Task, browser: Browser, plain: bool) -> tuple[int, int, bool, bool, str]:
    """Play a key by clicking: clicks, calls, whether it passed, whether the state is that of the tools, and what was wrong."""
    with world.open(task.id) as episode:
        key = episode.env.key()
        for call in key.calls:
            episode.call(call.tool, call.arguments)
        episode.call(episode.submit, key.answer)
        wanted = episode.env.state_digest()
    with world.open(task.id, face="app") as clicked:
        page = clicked.new_page(browser, java_script_enabled=not plain)
        page.set_default_timeout(PATIENCE_MS)
        oracle = ClickOracle(page, clicked.session.screens, clicked.session.looks)
        oracle.play(key, key.calls, task)
        verdict, log = clicked.verify(), clicked.log()
        again = world.judge(log)
        failed = [one.name for one in verdict.assertions if not one.ok]
        if again.status != verdict.status:
            failed.append(f"judged from its log: {again.status}")
        passed = verdict.reward == 1.0 and again.reward == 1.0
        same = log.final_digest == wanted
        why = ", ".join(failed) + ("" if same else " another state")
        why += f"; refused: {oracle.refused[-1][:200]}" if why and oracle.refused else ""
        return oracle.clicks, clicked.calls, passed, same, why


def look_around(world: World, task: Task, browser: Browser) -> bool:
    """Visit a few pages and leave: whether that scored nothing."""
    with world.open(task.id, face="app") as visited:
        page = visited.new_page(browser)
        page.get_by_role("link", name="Handbook", exact=True).first.click()
        page.get_by_role("heading", level=1).wait_for()
        return bool(visited.verify().reward == 0.0)


def read_kept(file: Path) -> Iterator[Held]:
    """What is kept of a domain; the last line of a task counts. A line that was cut off by the end of a run is none."""
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        try:
            yield Held(**json.loads(line))
        except ValueError:
            continue


def report(names: Sequence[str], out: Path) -> int:
    """Print a line for each domain, and what was not held."""
    print("| domain | tasks | passed | same state | idle visit scores 0 | clicks a task | seconds a task |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    every: list[Held] = []
    for name in names:
        held = list({one.task: one for one in read_kept(out / f"{name}.jsonl")}.values())
        every += held
        if held:
            print(_line(f"`{name}`", held))
    if every:
        print(_line("all", every))
    for name in names:
        for one in {one.task: one for one in read_kept(out / f"{name}.jsonl")}.values():
            if not one.good:
                print(f"  {name} {one.task}: {one.why}", file=sys.stderr)
    return 0 if every and all(one.good for one in every) else 1


def _line(name: str, held: Sequence[Held]) -> str:
    def count(what: Any) -> int:
        return sum(bool(what(one)) for one in held)

    clicks, seconds = sum(one.clicks for one in held) / len(held), sum(one.seconds for one in held) / len(held)
    cells = (count(lambda one: one.passed), count(lambda one: one.same), count(lambda one: one.idle))
    return f"| {name} | {len(held)} | {' | '.join(map(str, cells))} | {clicks:.0f} | {seconds:.1f} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
