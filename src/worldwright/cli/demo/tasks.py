"""The part of `worldwright demo` about tasks: three requests, one of them solved, and the same one nearly solved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.cli.demo.world import chapter
from worldwright.cli.facts.datasheet import datasheet_of
from worldwright.cli.facts.task import TaskFacts, examples, families, in_words, person_of, task_facts
from worldwright.cli.inputs.pack import Opened
from worldwright.cli.play.call_line import written_call
from worldwright.cli.play.changes import show_changes
from worldwright.cli.play.task_player import TaskPlayer
from worldwright.cli.terminal.console import hanging, plain
from worldwright.cli.views.task import STYLES, show_letter
from worldwright.kinds.database.battery.cells import rules, siblings
from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.kinds.database.compile.tasks.ground import Ground
from worldwright.kinds.database.runtime import Runtime
from worldwright.world.records import Call
from worldwright.world.tasks import Task


@dataclass(frozen=True, slots=True)
class NearMiss:
    """An episode that the tools let through and that is wrong all the same."""

    task: Task
    calls: tuple[Call, ...]
    answer: Any
    changed: tuple[tuple[str, Any, Any], ...]
    """(argument, as it should be, as it is) of the calls that write."""
    broke: tuple[str, ...]
    """Handbook rules that it breaks."""


def show_work(screen: Console, opened: Opened) -> list[str]:
    """Every stop that this world has tasks for; the names of those that were made."""
    tasks = task_facts(opened)
    near = near_miss(opened)
    if not tasks or near is None:
        return []
    made = []
    if _requests(screen, opened, tasks, near.task.id):
        made.append("requests")
    key = opened.world.key(near.task.id)
    who = f"{person_of(opened, near.task)}, {near.task.role}".strip(", ")
    says = f"{near.task.id} as {who}, by its gold calls: one way that really ran when the world was built."
    chapter(screen, "SOLVE", says)
    if episode(screen, opened, near.task, key.calls, key.answer) == "pass":
        made.append("solved")
    chapter(screen, "NEAR MISS", _difference(opened, near))
    if episode(screen, opened, near.task, near.calls, near.answer) == "fail":
        made.append("near miss")
    return made


def _requests(screen: Console, opened: Opened, tasks: Sequence[TaskFacts], last: str) -> bool:
    """Three requests of different families, as they are sent; the one that is solved next comes last."""
    own = next(t for t in tasks if t.id == last)
    shown = [*examples([t for t in tasks if t.family != own.family], 2), own]
    sheet = datasheet_of(opened.pack)
    proof = ""
    if sheet is not None:
        wrong = sheet.false_accepts + sheet.false_rejects
        proof = (
            f" Their verifiers judged {sheet.episodes:,} episodes before the pack was sealed, {wrong} of them wrongly."
        )
    says = (
        f"{len(tasks)} requests for an agent came with this world: {in_words(families(tasks))}.{proof} Three of them:"
    )
    chapter(screen, "TASKS", says)
    for i, task in enumerate(shown):
        if i:
            screen.print()
        line = Text.assemble("  ", (task.id, "bold"), "  ", (task.family, STYLES[task.family]))
        screen.print(line + Text(f"  for {plain(task.role)}", "dim"))
        show_letter(screen, task.instruction, 6)
    return len({t.family for t in shown}) == len(shown)


def episode(screen: Console, opened: Opened, task: Task, calls: Sequence[Call], answer: Any) -> str:
    """Make the calls and submit: reads in one line each, writes with every row they touched."""
    player = TaskPlayer(opened.world, task, screen, {})
    for call in calls:
        before = player.env.diff()
        hanging(screen, Text(plain(f"{player.prompt}{written_call(call.tool, call.arguments)}"), "bold"), 2)
        result = player.env.call_tool(call.tool, call.arguments)
        after = player.env.diff()
        if after != before:
            show_changes(screen, after)
        elif result.ok and isinstance(result.data, Mapping) and "total" in result.data:
            screen.print(Text(f"  {result.data['total']} found", "dim"))
    hanging(screen, Text(plain(f"{player.prompt}{written_call('submit', answer)}"), "bold"), 2)
    verdict = player.submit(answer)
    player.close()
    return verdict.status


def _difference(opened: Opened, near: NearMiss) -> str:
    changed = "; ".join(f"{name} is {now}, not {was}" for name, was, now in near.changed)
    says = [f"What was looked up stays the same, one thing is done otherwise: {changed}. No tool objects."]
    says += [f"The handbook does: {opened.checked.policies[rule].says}" for rule in near.broke]
    return " ".join(says)


# finding a near miss


def near_miss(opened: Opened) -> NearMiss | None:
    """Of a task that can be done with one write, best one where only the handbook knows what is wrong."""
    if not isinstance(opened.world.runtime, Runtime):
        return None
    ground = Ground(opened.world.runtime)
    tasks = sorted(opened.world.tasks, key=lambda t: (t.family != "policy", t.id))
    for task in (t for t in tasks if t.features.get("writes") == 1):
        harness = VerifierHarness(ground, task, opened.world.key(task.id))
        for trial in _tried(harness):
            end = harness.end(trial.plan, stop=False)
            if not trial.wanted and trial.right and end.played.ok and len(trial.plan) == 1:
                changed = _changed(harness.plan[0], trial.plan[0])
                return NearMiss(task, end.played.calls, trial.answer, changed, end.played.broken)
    return None


def _tried(harness: VerifierHarness) -> Iterator[Trial]:
    """Somebody who never reads the handbook; then somebody who takes the nearest record for the right one."""
    yield from rules.episodes(harness)
    yield from siblings.episodes(harness)


def _changed(right: Call, wrong: Call) -> tuple[tuple[str, Any, Any], ...]:
    names = (n for n in right.arguments if right.arguments[n] != wrong.arguments.get(n))
    return tuple((n, right.arguments[n], wrong.arguments.get(n)) for n in names)
