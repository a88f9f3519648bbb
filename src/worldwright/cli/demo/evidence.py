"""The second act of `worldwright demo`: a document of an API and a page of rules become a world."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from rich.console import Console
from rich.text import Text

from worldwright.anchor.intake.dispatch import Input
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.lock.build import AnchorOptions, build_anchor
from worldwright.anchor.lock.records import Anchor
from worldwright.blueprint.load import load_text
from worldwright.cli.demo.tasks import episode
from worldwright.cli.demo.world import chapter
from worldwright.cli.inputs.pack import Opened, open_place
from worldwright.cli.jobs.outputs import keep_in_folder
from worldwright.cli.terminal.console import hanging, plain
from worldwright.cli.terminal.stages import Stages
from worldwright.cli.terminal.tables import grid
from worldwright.cli.views.task import show_letter
from worldwright.cli.views.tool import signature
from worldwright.compiler.build import build
from worldwright.engine.contract import as_shown

INPUTS = (("openapi", "rental_api.yaml"), ("prd", "rental_rules.md"))
NAME, SEED = "tool_rental", 7
REASONS = 6
TOOLS_SHOWN = ("listRentals", "createRental", "returnRental", "createRefund")


def second_act(screen: Console, folder: Path) -> Path:
    """Upload, look why, generate, do a task with the tools of the document. Gives the place of the world."""
    says = "Now from evidence: an OpenAPI document and a page of rules that somebody at a rental desk might have."
    chapter(screen, "UPLOAD", says)
    with Stages(screen, indent=2) as stages:
        anchor = build_anchor(_given(), AnchorOptions(NAME), stages)
    _why(screen, anchor)
    chapter(screen, "GENERATE", "The lock is a Blueprint like any other, with the tools of the document over it:")
    domain = anchor.domains[0]
    with Stages(screen, indent=2) as stages:
        checked = load_text(domain.blueprint, f"{domain.name}.yaml")
        pack = build(checked, SEED, str(anchor.lock["digest"]), stages, contract=domain.contract).pack
    place, _ = keep_in_folder(pack, folder)
    screen.print(Text(f"  {place}", "dim"), soft_wrap=True)
    opened = open_place(place)
    _tools(screen, opened)
    _work(screen, opened)
    return place


def _given() -> list[Input]:
    found = resources.files("worldwright.cli.demo")
    return [Input(kind, name, (Upload(name, (found / name).read_bytes()),)) for kind, name in INPUTS]


def _why(screen: Console, anchor: Anchor) -> None:
    shares = anchor.lock["coverage"]
    used = ", ".join(f"{s['used']} of {s['total']} {kind}" for kind, s in shares.items() if s["total"])
    screen.print()
    hanging(screen, Text(f"Used: {used}. Every trait of the world says what it rests on:"), 2)
    screen.print()
    told = [r for r in anchor.lock["reasons"] if r["what"].startswith(("rule", "lifecycle", "move"))]
    stated = [r for r in told if not r["why"].startswith("assumed")]
    chosen = [*stated[-REASONS + 2 :], *(r for r in told if r["why"].startswith("assumed"))][:REASONS]
    grid(screen, ("trait", "because"), [(r["what"], f"{plain(r['why'])}  [{r['source']}]") for r in chosen])


def _tools(screen: Console, opened: Opened) -> None:
    seen = json.loads(opened.pack.files["fidelity.json"])
    statuses = seen["statuses"]
    reached, declared, faults = (len(statuses[k]) for k in ("reached", "declared", "by_fault"))
    says = (
        f"{len(opened.world.tools)} tools with the names and parameters of the document. "
        f"Of {seen['answers']} answers that walks got, {seen['valid']} are valid against its schemas. "
        f"Of {declared} error statuses that it declares, {reached} came from calls; "
        f"{faults} more are faults of the service, which can be ordered."
    )
    chapter(screen, "CONTRACT", says)
    chosen = [t for t in opened.world.tools if t.name in TOOLS_SHOWN]
    grid(screen, ("tool", "takes"), [(t.name, ", ".join(signature(t))) for t in chosen])


def _work(screen: Console, opened: Opened) -> None:
    task = next((t for t in opened.world.tasks if t.features["writes"] and t.features["calls"] > 2), None)
    if task is None:
        return
    key = opened.world.key(task.id)
    chapter(screen, "SOLVE", f"{task.id}, done with the tools of the document:")
    show_letter(screen, task.instruction, 6)
    screen.print()
    calls = [as_shown(opened.world.contract, call) for call in key.calls]
    episode(screen, opened, task, calls, key.answer)


def try_next(place: Path) -> Sequence[str]:
    """What somebody may want to do with it."""
    return (f"play {place} --task task_001", "upload --help")
