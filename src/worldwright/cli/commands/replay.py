"""`worldwright replay`: replay the episodes of a run and compare every result."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from worldwright.cli import exits
from worldwright.cli.inputs.options import PATH, json_option
from worldwright.cli.terminal.console import Screen, escape
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.english.nouns import count_noun

PROBLEMS_SHOWN = 20


@click.command(name="replay")
@click.argument("run", type=PATH)
@click.option(
    "--episode", "ids", multiple=True, metavar="ID", help="Only this one (the first digits will do); may be repeated."
)
@click.option("--gym", metavar="NAME[:TAG]", help="Where the worlds lie, if not where they were played.")
@json_option("What was found, as one JSON document.")
def command(run: Path, ids: tuple[str, ...], gym: str | None, as_json: bool) -> int:
    """Play the episodes of a run again, word for word, and compare everything that came of them.

    Results, changes, clock and verdict must be the same, and every record must be what its digest says. Exit code 1 where one
    is not. Episodes that ended because time was up, or because something failed that was not the agent's, are compared up to
    there.

    \b
    Examples:
      worldwright replay runs/hotel_booking-planner-1f2e3d4c
      worldwright replay runs/hotel_booking-planner-1f2e3d4c --episode 07ab --json
    """
    from worldwright.rollout.read import open_run
    from worldwright.rollout.replay import replay_run
    from worldwright.store.open import find_gym_packs, open_world

    opened = open_run(run)
    packs = {open_world(place).digest: place for place in find_gym_packs(gym).values()} if gym else {}
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
