"""`worldwright demo`: build two worlds and walk through them, in about a minute."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
from rich.text import Text

from worldwright.cli import exits
from worldwright.cli.extras import require_extra
from worldwright.cli.inputs.options import FOLDER
from worldwright.cli.terminal.console import Screen, print_hanging

DOMAIN, SEED, TASKS = "enterprise_procurement", 7, 24


@click.command(name="demo")
@click.option("--dir", "folder", metavar="DIR", type=FOLDER, default="demo-worlds", help="Where worlds are kept.")
def command(folder: Path) -> int:
    """Build a procurement world and take a short tour: read, write, be refused, fork, do a task, fail it, let agents try, rebuild.

    The last of five acts makes a world of evidence: an OpenAPI document and a page of rules.

    \b
    Examples:
      worldwright demo
      worldwright demo --dir /tmp/worlds
    """
    screen = Screen()
    screen.print(Text("Worldwright compiles a business into a world where agents can practise.", "bold"))
    with require_extra("anchor"):
        from worldwright.cli.demo.evidence import show_second_act
    from worldwright.cli.demo.tasks import let_agents_try, show_work
    from worldwright.cli.demo.world import build_first, look_inside, walk
    from worldwright.cli.jobs.outputs import check_writable

    check_writable(folder)
    opened = build_first(screen, folder, DOMAIN, SEED, TASKS)
    rebuilding = _rebuild(opened.place)
    look_inside(screen, opened)
    walk(screen, opened)
    show_work(screen, opened)
    let_agents_try(screen, opened.place)
    derived = show_second_act(screen, folder)
    same = _show_rebuilt(screen, rebuilding)
    screen.print()
    screen.print(Text("TRY NEXT", "bold cyan"))
    activate = Path(sys.executable).with_name("activate")
    if shutil.which("worldwright") is None and activate.is_file():
        at = activate.relative_to(Path.cwd()) if activate.is_relative_to(Path.cwd()) else activate
        screen.print(Text(f"  . {at}"), soft_wrap=True)
    for line in (
        f"play {opened.place} --task task_001",
        f"task show {opened.place} task_001 --key",
        f"rollout --gym {opened.place} --agent planner --attempts 5",
        f"play {derived} --task task_001",
        "catalog",
        "upload --help",
        f"app {opened.place} --task task_001    # the software that this business would have",
        f"studio --runs {folder}    # all of it in a browser",
    ):
        screen.print(Text(f"  worldwright {line}"), soft_wrap=True)
    return exits.OK if same else exits.FAILED


def _rebuild(place: Path) -> subprocess.Popen[str]:
    """Start `worldwright rebuild`: a process of its own has nothing of this one in memory."""
    return subprocess.Popen(
        [sys.executable, "-m", "worldwright", "rebuild", str(place)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"},
    )


def _show_rebuilt(screen: Screen, process: subprocess.Popen[str]) -> bool:
    screen.print()
    says = "Meanwhile a fresh process has built the first world again, from the Blueprint and the seed inside its pack:"
    print_hanging(screen, Text(says), 2)
    out, _ = process.communicate()
    for line in out.splitlines():
        screen.print(Text(f"  {line}", "green" if process.returncode == exits.OK else "red"), soft_wrap=True)
    return process.returncode == exits.OK
