"""`worldwright demo`: build two worlds and walk through them, in about a minute."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
from rich.text import Text

from worldwright import catalogue
from worldwright.cli import exits
from worldwright.cli.demo.agents import let_agents_try
from worldwright.cli.demo.tasks import show_work
from worldwright.cli.demo.world import chapter, look_inside, walk
from worldwright.cli.extras import needing
from worldwright.cli.inputs.pack import open_place
from worldwright.cli.jobs.outputs import check_writable, keep_in_folder
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.stages import Stages
from worldwright.compiler.build import build

DOMAIN, SEED = "enterprise_procurement", 7


@click.command(name="demo")
@click.option(
    "--dir", "folder", metavar="DIR", default="demo-worlds", show_default=True, help="Where the world is written.",
    type=click.Path(file_okay=False, path_type=Path),
)  # fmt: skip
def command(folder: Path) -> int:
    """Build a procurement world and take a short tour: read, write, be refused, fork, do a task, fail it, let agents try, rebuild.

    The second act makes a world of evidence: an OpenAPI document and a page of rules.

    \b
    Examples:
      worldwright demo
      worldwright demo --dir /tmp/worlds
    """
    with needing("anchor"):
        from worldwright.cli.demo.evidence import second_act, try_next

    check_writable(folder)
    screen = Screen()
    screen.print(Text("Worldwright compiles a business into a world where agents can practise.", "bold"))
    chapter(screen, "BUILD", f"The Blueprint of {DOMAIN} and seed {SEED}, through the compiler:")
    with Stages(screen, indent=2) as stages:
        pack = build(catalogue.load(DOMAIN), SEED, progress=stages).pack
    place, was_there = keep_in_folder(pack, folder)
    screen.print(Text(f"  {place}{' (already there)' if was_there else ''}", "dim"), soft_wrap=True)
    opened = open_place(place)
    look_inside(screen, opened)
    walk(screen, opened)
    show_work(screen, opened)
    let_agents_try(screen, place)
    chapter(screen, "REBUILD", "From the Blueprint and the seed inside the pack, once more, in a fresh process:")
    same = _rebuilt(screen, place)
    derived = second_act(screen, folder)
    screen.print()
    screen.print(Text("TRY NEXT", "bold cyan"))
    for line in (
        f"play {place} --task task_001",
        f"task list {place}",
        f"task show {place} task_001 --key",
        f"assay {place}",
        f"inspect {place} --tool place_order",
        f"rollout --gym {place} --agent planner --attempts 5",
        "catalog",
        *try_next(derived),
    ):
        screen.print(Text(f"  worldwright {line}"), soft_wrap=True)
    return exits.OK if same else exits.FAILED


def _rebuilt(screen: Screen, place: Path) -> bool:
    """`worldwright rebuild`, whose words are passed on; a process of its own has nothing of this one in memory."""
    colours = {"FORCE_COLOR": "1"} if screen.is_terminal else {}
    process = subprocess.Popen(
        [sys.executable, "-m", "worldwright", "rebuild", str(place)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        env={**os.environ, **colours, "COLUMNS": str(screen.width - 2), "PYTHONIOENCODING": "utf-8"},
    )
    with process:
        assert process.stdout is not None
        for line in process.stdout:
            screen.print(Text("  ") + Text.from_ansi(line.rstrip()), soft_wrap=True)
    return process.returncode == exits.OK
