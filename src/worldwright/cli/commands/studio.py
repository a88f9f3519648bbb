"""`worldwright studio`: look at worlds, builds, runs and episodes in a browser."""

from __future__ import annotations

from pathlib import Path

import click

from worldwright.cli.extras import require_extra
from worldwright.cli.inputs.options import FOLDER, json_option


@click.command(name="studio")
@click.option("--port", type=click.IntRange(0, 65535), default=7700, help="0 for any free one.")
@click.option("--open/--no-open", "opens", default=True, help="Open the browser.")
@click.option(
    "--runs",
    "folders",
    multiple=True,
    metavar="DIR",
    type=FOLDER,
    help="Another folder with runs, arenas, trainings, benches or packs.",
)
@click.option("--home", metavar="DIR", type=FOLDER, help="The store, if not where commands keep it.")
@json_option("Say where it listens as one line of JSON.")
def command(port: int, opens: bool, folders: tuple[Path, ...], home: Path | None, as_json: bool) -> None:
    """Look at worlds, builds, runs and episodes in a browser.

    The catalogue, every table, tool, rule and task of a world, builds while they go on, claims beside their evidence, episodes step
    by step, arenas and trainings, and tasks to do yourself.

    It listens on this machine alone, and the address holds a token: whoever has it may look and build, so keep it to yourself.
    Whatever is shown stands in files that other commands read as well. It finds the store, and in the folder where you are runs/,
    arena/, evolve/, worlds/ and benches; --runs names others. Ctrl-C ends it; what it has started goes on.

    \b
    Examples:
      worldwright studio
      worldwright studio --port 8080 --no-open
      worldwright studio --runs ../experiments/runs --home ./store
    """
    with require_extra("studio"):
        from worldwright.cli.jobs.studio import run_studio

    run_studio(port, opens, folders, home, as_json)
