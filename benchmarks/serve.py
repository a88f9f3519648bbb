"""How fast the HTTP server is, and whether its memory stays flat: `worldwright serve` with two workers and a light client.

    python -m benchmarks.serve [--domain NAME] [--seconds 8] [--episodes 5000] [--workers 2] [--json]

`call` is a tool call of 64 concurrent episodes that are opened, played by the calls of a random agent, judged and closed; server
and client share the cores. `p99` is against the median of the same calls. `echo` compares the processor time that the server takes
for a call, the rest of its episode included, with that of a bare route of the same stack. `hop` sends every call to a worker that
has to pass it on. `memory` is what the workers hold after so many episodes of one call; `--episodes 100000` is the figure that is
promised, the default a short form of it. Exits 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any
from urllib.request import urlopen

from benchmarks._measure import Figure, table

from worldwright import catalogue
from worldwright.agents.protocol import make_agent
from worldwright.compiler.build import build
from worldwright.engine.world import World
from worldwright.pack.seal import write_pack
from worldwright.rollout.episode import EpisodeSetup, play
from worldwright.rollout.plan import derive_seed
from worldwright.rollout.records import EpisodeKey, Limits
from worldwright.store.open import open_world

SEED, VARIANT = 7, "seed_7"
CONCURRENT = 64
WANTED = 1_500
"""Tool calls per second on two cores."""
TAIL = 10.0
FLAT = 1.05
"""What the memory may grow by after the first tenth."""
TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Running:
    """A server, and its processes."""

    url: str
    pid: int

    @property
    def workers(self) -> list[int]:
        found = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text(encoding="ascii").split()
        return [int(pid) for pid in found] or [self.pid]

    def cpu(self) -> float:
        """Seconds of processor that the workers took so far."""
        fields = [
            Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split() for pid in self.workers
        ]
        return sum(int(f[11]) + int(f[12]) for f in fields) / TICK

    def memory(self) -> float:
        """MiB that the workers hold."""
        pages = [int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) for pid in self.workers]
        return sum(pages) * PAGE / 2**20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default="retail_returns", choices=catalogue.names())
    parser.add_argument("--seconds", type=float, default=8.0, help="for each of the rates")
    parser.add_argument("--episodes", type=int, default=5_000, help="for the memory")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    token = secrets.token_urlsafe()
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder) / VARIANT
        write_pack(build(catalogue.load(given.domain), SEED).pack.files, pack)
        plan = {
            "token": token,
            "seconds": given.seconds,
            "connections": CONCURRENT,
            "episodes": episodes(open_world(pack)),
        }
        with served(Path(folder), given.workers, token) as server:
            figures = [*rates(server, given.workers, plan), memory(server, plan, given.episodes)]
    if given.json:
        print(json.dumps([f.data() for f in figures], indent=2))
    else:
        print(table(figures))
    return 0 if all(f.holds is not False for f in figures) else 1


def episodes(world: World) -> list[dict[str, Any]]:
    """What a random agent calls, as requests."""
    who, out = make_agent("random"), []
    for task in world.tasks[:24]:
        spot = EpisodeKey(world.digest, task.id, 1)
        setting = EpisodeSetup("0", spot, world.name, "v", "plain", derive_seed(SEED, spot), "")
        steps = play(world.env(), who, setting, Limits()).steps
        calls = [json.dumps({"tool": s["tool"], "arguments": s["arguments"]}) for s in steps]
        out.append({"variant": VARIANT, "task": task.id, "calls": calls, "verify": True})
    return out


def rates(server: Running, workers: int, plan: dict[str, Any]) -> list[Figure]:
    load(server.url, {**plan, "seconds": 1.0})
    before = server.cpu()
    played = load(server.url, plan)
    ours = (server.cpu() - before) / played["calls"]
    with echoing(workers) as echo:
        load(echo.url, {**plan, "seconds": 1.0, "echo": True})
        before = echo.cpu()
        bare = load(echo.url, {**plan, "echo": True})
        theirs = (echo.cpu() - before) / bare["calls"]
    says = f"tool calls of {played['episodes']:,} whole episodes, {CONCURRENT} at once"
    figures = [
        Figure("calls", says, "/s", played["rate"]),
        Figure("call", f"one of them, against a target of 1/{WANTED:,} s", "s", 1 / played["rate"], "target", 1 / WANTED, 1.0),
        Figure("p99", "how long the slowest in a hundred take", "s", played["p99"], "median", played["median"], TAIL),
        Figure("echo", "processor time of a call, opening, verdict and closing included", "s", ours, "a bare route", theirs),
        Figure("echoes", f"requests to the bare route, {CONCURRENT} at once", "/s", bare["rate"]),
    ]  # fmt: skip
    if workers > 1:
        straight, detour = load(server.url, {**plan, "way": "direct"}), load(server.url, {**plan, "way": "detour"})
        says = "a call that is passed on to the worker that has the episode"
        figures.append(Figure("hop", says, "s", 1 / detour["rate"], "sent straight there", 1 / straight["rate"]))
    return figures


def memory(server: Running, plan: dict[str, Any], many: int) -> Figure:
    """One call each, over and over."""
    one = [{**e, "calls": e["calls"][:1], "verify": False} for e in plan["episodes"]]
    found = []
    for share in (0.1, 0.4, 0.5):
        load(server.url, {**plan, "episodes": one, "seconds": 1e9, "most": int(many * share)})
        found.append(server.memory())
    start, middle, end = found
    says = f"the workers after {many:,} episodes ({start:.0f} MiB after a tenth, {middle:.0f} after half)"
    return Figure("memory", says, "MiB", end, "after a tenth", start, FLAT)


def load(url: str, plan: dict[str, Any]) -> dict[str, Any]:
    line = [sys.executable, "-m", "benchmarks._load", url]
    done = subprocess.run(line, input=json.dumps(plan), stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@contextmanager
def served(gym: Path, workers: int, token: str) -> Iterator[Running]:
    line = [sys.executable, "-m", "worldwright", "serve", "--gym", str(gym), "--workers", str(workers)]
    env = {**os.environ, "WORLDWRIGHT_TOKEN": token}
    with subprocess.Popen(
        [*line, "--port", "0", "--direct", "--json"], stdout=subprocess.PIPE, text=True, env=env
    ) as process:
        assert process.stdout is not None
        try:
            yield Running(json.loads(process.stdout.readline())["url"], process.pid)
        finally:
            process.terminate()


@contextmanager
def echoing(workers: int, port: int = 8_917) -> Iterator[Running]:
    line = [sys.executable, "-m", "uvicorn", "benchmarks._echo:app", "--workers", str(workers), "--port", str(port)]
    with subprocess.Popen([*line, "--no-access-log", "--log-level", "warning"]) as process:
        try:
            _wait(f"http://127.0.0.1:{port}/openapi.json")
            yield Running(f"http://127.0.0.1:{port}", process.pid)
        finally:
            process.terminate()


def _wait(url: str) -> None:
    for _ in range(300):
        try:
            with urlopen(url):
                return
        except OSError:
            sleep(0.1)
    raise SystemExit(f"nothing answers at {url}")


if __name__ == "__main__":
    raise SystemExit(main())
