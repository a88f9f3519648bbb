"""The second act of `worldwright demo`: a document of an API and a page of rules become a world."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from rich.console import Console
from rich.text import Text

from worldwright.anchor.intake.dispatch import Input
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.lock.build import AnchorOptions, build_anchor
from worldwright.anchor.lock.records import Anchor
from worldwright.assay.grade import GRADE
from worldwright.blueprint.load import load_text
from worldwright.cli.demo.acts import begin_act, begin_step
from worldwright.cli.demo.tasks import play_episode
from worldwright.cli.jobs.outputs import keep_in_folder
from worldwright.cli.terminal.console import escape, print_hanging
from worldwright.cli.terminal.stages import UPLOAD_STAGES, Stages, build_stages
from worldwright.cli.terminal.tables import grid
from worldwright.compiler.build import build
from worldwright.engine.contract import show_call
from worldwright.facts.opened import OpenedPack, open_place
from worldwright.facts.task import gist
from worldwright.kinds.database.battery.settings import BULK
from worldwright.kinds.database.compile.tasks.knobs import knobs

INPUTS = (("openapi", "rental_api.yaml"), ("prd", "rental_rules.md"))
NAME, SEED = "tool_rental", 7
MAX_REASONS = 4


def show_second_act(screen: Console, folder: Path) -> Path:
    """Upload, look why, generate, do a task with the tools of the document. Gives the place of the world."""
    says = "An OpenAPI document and a page of rules that somebody at a rental desk might have are read, and locked as an anchor:"
    begin_act(screen, 5, says)
    with Stages(screen, UPLOAD_STAGES, indent=2) as stages:
        anchor = build_anchor(_read_inputs(), AnchorOptions(NAME), stages)
    _show_reasons(screen, anchor)
    domain = anchor.domains[0]
    with Stages(screen, build_stages(contract=True), indent=2, only=("state", "tasks", "seal")) as stages:
        checked = load_text(domain.blueprint, f"{domain.name}.yaml")
        pack = build(
            checked, SEED, str(anchor.lock["digest"]), stages.hear, knobs=knobs("medium", {"most": "12"}),
            contract=domain.contract, battery=BULK,
        ).pack  # fmt: skip
    opened = open_place(keep_in_folder(pack, folder)[0])
    _grade(screen, opened)
    _tools(screen, opened)
    _work(screen, opened)
    return opened.place


def _read_inputs() -> list[Input]:
    found = resources.files("worldwright.cli.demo")
    return [Input(kind, name, (Upload(name, (found / name).read_bytes()),)) for kind, name in INPUTS]


def _show_reasons(screen: Console, anchor: Anchor) -> None:
    shares = anchor.lock["coverage"]
    used = ", ".join(f"{s['used']} of {s['total']} {kind}" for kind, s in shares.items() if s["total"])
    begin_step(screen, "WHY", f"Used: {used}. Every trait of the world says what it rests on:")
    told = [r for r in anchor.lock["reasons"] if r["what"].startswith(("rule", "lifecycle", "move"))]
    stated = [r for r in told if not r["why"].startswith("assumed")]
    chosen = [*stated[-MAX_REASONS + 1 :], *(r for r in told if r["why"].startswith("assumed"))][:MAX_REASONS]
    grid(screen, ("trait", "because"), [(r["what"], escape(r["why"])) for r in chosen])
    screen.print()


def _grade(screen: Console, opened: OpenedPack) -> None:
    grade = json.loads(opened.pack.files[GRADE])
    begin_step(
        screen,
        f"GRADE {grade['grade']}",
        "A draft is read without understanding it. What the next word asks for:",
    )
    for line in grade["lacking"]:
        print_hanging(screen, Text(escape(line)), 4)
    says = "An author (a person, a coding agent, a model) makes it deep at a bench: `worldwright author --help`."
    print_hanging(screen, Text(says), 2)


def _tools(screen: Console, opened: OpenedPack) -> None:
    fidelity = json.loads(opened.pack.files["fidelity.json"])
    statuses = fidelity["statuses"]
    reached, declared, faults = (len(statuses[k]) for k in ("reached", "declared", "by_fault"))
    says = (
        f"{len(opened.world.tools)} tools with the names and parameters of the document. "
        f"{fidelity['valid']} of {fidelity['answers']} answers are valid against its schemas. "
        f"Of {declared} error statuses that it declares, {reached} came from calls; {faults} more can be ordered as faults."
    )
    begin_step(screen, "TOOLS", says)


def _work(screen: Console, opened: OpenedPack) -> None:
    several = [t for t in opened.world.tasks if t.features["writes"] and t.features["calls"] > 2]
    if not several:
        return
    task = min(several, key=lambda t: t.features["calls"])
    key = opened.world.key(task.id)
    begin_step(screen, "SOLVED", f"{task.id}: {gist(task.instruction)}")
    calls = [show_call(opened.world.contract, call) for call in key.calls]
    play_episode(screen, opened, task, calls, key.answer)
