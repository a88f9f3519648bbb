"""`worldwright replay`: replay the episodes of a run and compare every result."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from worldwright.cli import exits
from worldwright.cli.inputs.options import PATH, json_option
from worldwright.cli.terminal.console import Screen, escape
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.views.steps import show_steps
from worldwright.english.nouns import count_noun

if TYPE_CHECKING:
    from worldwright.rollout.read import Run

PROBLEMS_SHOWN = 20


@click.command(name="replay")
@click.argument("run", type=PATH)
@click.option(
    "--episode", "ids", multiple=True, metavar="ID", help="Only this one (the first digits will do); may be repeated."
)
@click.option(
    "--steps", is_flag=True, help="Show one episode call by call: what changed, and which assertions held then."
)
@click.option("--gym", metavar="NAME[:TAG]", help="Where the worlds lie, if not where they were played.")
@json_option("What was found, as one JSON document.")
def command(run: Path, ids: tuple[str, ...], steps: bool, gym: str | None, as_json: bool) -> int:
    """Play the episodes of a run again, word for word, and compare everything that came of them.

    Results, changes, clock and verdict must be the same, and every record must be what its digest says. Exit code 1 where one
    is not. Episodes that ended because time was up, or because something failed that was not the agent's, are compared up to
    there.

    \b
    Examples:
      worldwright replay runs/hotel_booking-planner-1f2e3d4c
      worldwright replay runs/hotel_booking-planner-1f2e3d4c --episode 07ab --json
      worldwright replay runs/hotel_booking-planner-1f2e3d4c --episode 07ab --steps
    """
    from worldwright.rollout.read import open_run
    from worldwright.rollout.replay import replay_run
    from worldwright.store.open import find_gym_packs, open_world

    opened = open_run(run)
    packs = {open_world(place).digest: place for place in find_gym_packs(gym).values()} if gym else {}
    if steps:
        return _show_steps(opened, ids, packs, as_json)
    wrong: list[dict[str, object]] = []
    count = 0
    total = len(ids) or int(opened.config.get("episodes", 0))
    with Progress(Screen(err=True), "episodes", total) as progress:
        for one in replay_run(opened, ids, packs):
            count += 1
            if not one.same:
                wrong.append({"id": one.episode.id, "task": one.episode.task, "differs": list(one.differs)})
            progress.step(f"{len(wrong)} differ")
    if as_json:
        print_json({"run": str(run), "episodes": count, "differ": wrong, "ok": not wrong})
    else:
        _say(Screen(), count, wrong)
    return exits.FAILED if wrong else exits.OK


def _show_steps(run: Run, ids: tuple[str, ...], packs: Mapping[str, Path], as_json: bool) -> int:
    from worldwright.rollout.records import Limits
    from worldwright.rollout.replay import open_world_of
    from worldwright.rollout.stepwise import find_episode, step_through, steps_data

    if len(ids) != 1:
        raise click.UsageError("--steps is about one episode: name it with --episode ID")
    episode = find_episode(run, ids[0])
    world = open_world_of(run, episode.world, packs)
    found = steps_data(episode, step_through(world, episode, Limits(**run.config["limits"])))
    print_json(found) if as_json else show_steps(Screen(), found)
    return exits.FAILED if found["differs"] else exits.OK


def _say(screen: Screen, count: int, wrong: list[dict[str, object]]) -> None:
    for one in wrong[:PROBLEMS_SHOWN]:
        screen.print(Text.assemble((f"{one['id']}  {one['task']}", "bold red")))
        for line in one["differs"]:  # type: ignore[attr-defined]
            screen.print(Text(f"  {escape(str(line))}"))
    if len(wrong) > PROBLEMS_SHOWN:
        screen.print(Text(f"and {len(wrong) - PROBLEMS_SHOWN} more", "dim"))
    said = f"{count_noun(count, 'episode')} played again: " + (
        f"{len(wrong):,} differ" if wrong else "every one is the same"
    )
    screen.print(Text(said, "bold red" if wrong else "green"))
