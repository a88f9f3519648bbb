"""Play tasks blind: see what an agent sees, answer, and hear no verdict until all is decided. Then count.

    python -m studies.blind begin PACK task_007 --notes NOTES          what an agent is told: handbook, tools, request
    python -m studies.blind call PACK task_007 --notes NOTES find_members '{"name": "Abigail"}' find_loans '{}'
    python -m studies.blind answer PACK task_007 --notes NOTES '{"outcome": "done"}' --remark "which rule decided, what was unclear"
    python -m studies.blind explain NOTES WORLD task_007 "ours: ..."   whose fault a failure was, once verdicts are known
    python -m studies.blind report NOTES... --packs FOLDER             verdicts, by world; --keep FILE writes one file of them

PACK is a folder that `generate --out` wrote. NOTES is a folder: one file for each episode, with the calls as they were made, so
that `report` can play them again, on packs that were built again too. Nothing of a key is opened before `report`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from worldwright import open_world
from worldwright.engine.env import Env
from worldwright.world.records import Result


class Episode(NamedTuple):
    """What a player did in one task."""

    world: str
    task: str
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    answer: Any = None
    remark: str = ""
    """What the player thought before the verdict was known."""
    explained: str = ""
    """Where it failed: whose fault it was and why, written afterwards. `ours: ...` counts as a defect."""


def read_episode(path: Path, world: str, task: str) -> Episode:
    """Read an episode, or begin one."""
    if not path.exists():
        return Episode(world, task)
    found = json.loads(path.read_text("utf-8"))
    return Episode(**{**found, "calls": tuple((tool, given) for tool, given in found["calls"])})


def write_episode(path: Path, episode: Episode) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    waiting = path.with_suffix(".part")
    waiting.write_text(json.dumps(episode._asdict(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    waiting.replace(path)


def play(env: Env, episode: Episode) -> list[Result]:
    """Make the calls of an episode again; returns what each gave."""
    env.reset(episode.task)
    return [env.agent.call(tool, dict(given)) for tool, given in episode.calls]


def show_beginning(env: Env, task: str) -> Iterator[str]:
    """Show what an agent is told before its first call."""
    seen = env.reset(task)
    yield from (f"[{message['role']}]\n{message['content']}\n" for message in seen.messages)
    yield "[tools]"
    yield from (f"{tool.name}: {tool.description}\n  {json.dumps(tool.input_schema)}" for tool in seen.tools)


class Judged(NamedTuple):
    """An episode with its verdict."""

    episode: Episode
    passed: bool
    reasons: tuple[str, ...]
    """What did not hold."""


def read_notes(notes: Path) -> Iterator[Episode]:
    """Read episodes from a folder of notes, or from a file of lines that `report --keep` wrote."""
    if notes.is_file():
        for line in notes.read_text("utf-8").splitlines():
            found = json.loads(line)
            yield Episode(**{**found, "calls": tuple((tool, given) for tool, given in found["calls"])})
        return
    for path in sorted(notes.glob("**/task_*.json")):
        yield read_episode(path, path.parent.name, path.stem)


def judge_notes(notes: Sequence[Path], packs: Path) -> Iterator[Judged]:
    """Play every noted episode again and judge it. What was never answered is left out."""
    episodes = [e for one in notes for e in read_notes(one) if e.answer is not None]
    for world in sorted({e.world for e in episodes}):
        matching = sorted(packs.glob(f"**/{world}/manifest.json"))
        if not matching:
            raise SystemExit(f"no pack called {world} below {packs}")
        env = open_world(matching[0].parent).env()
        for episode in (e for e in episodes if e.world == world):
            play(env, episode)
            env.agent.submit(episode.answer)
            verdict = env.verify()
            broken = tuple(f"{a.name}: expected {a.expected}, found {a.found}" for a in verdict.assertions if not a.ok)
            yield Judged(episode, verdict.status == "pass", broken)


def report(notes: Sequence[Path], packs: Path, as_json: bool, keep: Path | None) -> int:
    """Print what came of it, world by world, failures first."""
    judged = list(judge_notes(notes, packs))
    failed = [j for j in judged if not j.passed]
    ours = [j for j in judged if j.episode.explained.startswith("ours")]
    if keep is not None:
        lines = (json.dumps(j.episode._asdict(), ensure_ascii=False) + "\n" for j in judged)
        keep.write_text("".join(lines), "utf-8")
    if as_json:
        print(json.dumps([{**j.episode._asdict(), "passed": j.passed, "reasons": j.reasons} for j in judged], indent=1))
        return 0
    for j in failed:
        print(f"FAILED {j.episode.world} {j.episode.task}: {'; '.join(j.reasons)}")
        print(f"  the player said: {j.episode.remark or 'nothing'}\n  {j.episode.explained or 'not explained'}")
    for world in sorted({j.episode.world for j in judged}):
        mine = [j for j in judged if j.episode.world == world]
        calls = sum(len(j.episode.calls) for j in mine) / len(mine)
        print(f"{world}: {sum(j.passed for j in mine)} of {len(mine)} passed, {calls:.1f} calls on average")
    unexplained = sum(not j.episode.explained for j in failed)
    print(
        f"{len(judged) - len(failed)} of {len(judged)} passed; {len(ours)} defects of ours, {unexplained} failures not explained"
    )
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Play tasks blind, and count afterwards.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("begin", "call", "answer"):
        own = commands.add_parser(name)
        own.add_argument("pack", type=Path)
        own.add_argument("task")
        own.add_argument("--notes", type=Path, required=True)
        if name == "call":
            own.add_argument(
                "made", nargs="+", metavar="TOOL ARGUMENTS", help="pairs of a tool and its arguments as JSON"
            )
        if name == "answer":
            own.add_argument("value")
            own.add_argument("--remark", default="")
    why = commands.add_parser("explain")
    why.add_argument("notes", type=Path)
    why.add_argument("world")
    why.add_argument("task")
    why.add_argument("because")
    last = commands.add_parser("report")
    last.add_argument("notes", type=Path, nargs="+")
    last.add_argument("--packs", type=Path, required=True)
    last.add_argument("--keep", type=Path, help="write all episodes to this file, one a line")
    last.add_argument("--json", action="store_true", dest="as_json")
    given = parser.parse_args()
    if given.command == "explain":
        found = given.notes / given.world / f"{given.task}.json"
        write_episode(found, read_episode(found, given.world, given.task)._replace(explained=given.because))
        return 0
    if given.command == "report":
        return report(given.notes, given.packs, given.as_json, given.keep)
    env = open_world(given.pack).env()
    path = given.notes / given.pack.resolve().name / f"{given.task}.json"
    episode = read_episode(path, given.pack.resolve().name, given.task)
    if given.command == "begin":
        print("\n".join(show_beginning(env, given.task)))
        return 0
    if episode.answer is not None:
        raise SystemExit(f"{given.task} is answered already")
    if given.command == "call":
        for tool, arguments in zip(given.made[::2], given.made[1::2], strict=True):
            episode = episode._replace(calls=(*episode.calls, (tool, json.loads(arguments))))
        results = play(env, episode)[-len(given.made) // 2 :]
        write_episode(path, episode)
        for result in results:
            shown = {"error": result.error.shown()} if result.error else result.data
            print(json.dumps(shown, indent=1, ensure_ascii=False))
        return 0
    play(env, episode)
    returned = env.agent.submit(json.loads(given.value))
    if not env.done:
        print(f"given back: {returned.error.shown() if returned.error else returned.data}")
        return 1
    write_episode(path, episode._replace(answer=json.loads(given.value), remark=given.remark))
    print("noted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
