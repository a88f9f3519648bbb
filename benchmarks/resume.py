"""Whether a rollout loses anything when it is killed: many episodes, SIGKILL at three random moments, and the same run undisturbed.

    python -m benchmarks.resume [--episodes 10000] [--kills 3] [--workers 2] [--seed 1]

Both runs must have the same episodes, each once, by digest. Exits 1 where they do not.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from worldwright import catalogue
from worldwright.compiler.build import build
from worldwright.core.rng import Stream
from worldwright.pack.seal import write_pack
from worldwright.rollout.parts import PARTS, index_episodes
from worldwright.rollout.plan import AgentSpec, Plan, plan, plan_episodes
from worldwright.rollout.read import Run, open_run
from worldwright.rollout.run import roll

DOMAIN = "retail_returns"


def planned(pack: Path, episodes: int) -> Plan:
    """So many episodes of the random agent, over all tasks of one world."""
    tasks = len(plan(str(pack), AgentSpec("random")).episodes)
    whole = plan(str(pack), AgentSpec("random"), attempts=-(-episodes // tasks))
    return plan_episodes(whole.gym, whole.places, whole.episodes[:episodes], whole.player, whole.limits)


def digests(run: Run) -> list[tuple[str, str]]:
    return [(episode.id, episode.digest) for episode in run.episodes()]


def killed(pack: Path, folder: Path, given: argparse.Namespace) -> int:
    """The run, killed at random moments; how many episodes stood when it was killed last."""
    moments = Stream("kills", given.seed)
    shares = sorted(0.05 + 0.85 * moments.uniform() for _ in range(given.kills))
    for share in shares:
        command = [sys.executable, "-m", "benchmarks.resume", "--play", str(pack), str(folder), str(given.episodes)]
        with subprocess.Popen([*command, str(given.workers)], start_new_session=True) as process:
            while process.poll() is None and len(index_episodes(folder)) < share * given.episodes:
                time.sleep(0.05 + 0.2 * moments.uniform())
            os.kill(process.pid, signal.SIGKILL)
        print(f"  killed with {len(index_episodes(folder)):,} of {given.episodes:,} episodes written", flush=True)
    return len(index_episodes(folder)) if (folder / PARTS).exists() else given.episodes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--play", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.play:
        pack, folder, episodes, workers = given.play
        roll(planned(Path(pack), int(episodes)), Path(folder), int(workers))
        return 0
    with tempfile.TemporaryDirectory() as work:
        pack = Path(work) / DOMAIN
        write_pack(build(catalogue.load(DOMAIN), 7).pack.files, pack)
        made = planned(pack, given.episodes)
        stood = killed(pack, Path(work) / "killed", given)
        begin = time.monotonic()
        one = roll(made, Path(work) / "killed", given.workers)
        print(f"  the rest of it took {time.monotonic() - begin:.0f} s")
        begin = time.monotonic()
        other = roll(made, Path(work) / "whole", given.workers)
        print(f"  the undisturbed run took {time.monotonic() - begin:.0f} s")
        first, second = digests(one), digests(other)
        same = first == second and len({key for key, _ in first}) == given.episodes
        print(json.dumps({"episodes": len(first), "killed": given.kills, "stood_at_the_last": stood, "same": same,
                          "digest": open_run(Path(work) / "whole").config["digest"]}, indent=2))  # fmt: skip
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())
