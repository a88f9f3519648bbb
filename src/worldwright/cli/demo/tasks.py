"""The part of `worldwright demo` about tasks: three requests, one nearly solved, and what the built-in agents come to."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.cli.demo.acts import begin_act, begin_step, show_call
from worldwright.cli.play.call_line import format_call
from worldwright.cli.play.task_player import TaskPlayer
from worldwright.cli.terminal.console import escape, print_hanging
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.views.task import STYLES, show_letter
from worldwright.cli.views.verdict import show_verdict
from worldwright.facts.datasheet import read_datasheet
from worldwright.facts.opened import OpenedPack
from worldwright.facts.task import TaskFacts, choose_examples, count_families, join_counts, person_of, task_facts
from worldwright.kinds.database.battery.cells import rules, siblings
from worldwright.kinds.database.battery.harness import Trial, VerifierHarness
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox
from worldwright.kinds.database.runtime import Runtime
from worldwright.rollout.plan import AgentSpec, plan
from worldwright.rollout.replay import replay_run
from worldwright.rollout.report.summary import summarise
from worldwright.rollout.run import roll
from worldwright.world.records import Call
from worldwright.world.tasks import Task

AGENTS = {
    "oracle": "is given the key: the tasks can be done",
    "noop": "does nothing",
    "parrot": "says back what it was told",
    "random": "draws calls at random",
    "planner": "reads request, handbook and schemas; a baseline without a model",
}

MAX_CALLS = 4
"""Calls of a task that fits a screen."""


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


def show_work(screen: Console, opened: OpenedPack) -> list[str]:
    """Make every stop that this world has tasks for; give the names of those that were made."""
    tasks = task_facts(opened)
    near = find_near_miss(opened)
    if not tasks or near is None:
        return []
    made = []
    if _show_requests(screen, opened, tasks, near.task.id):
        made.append("requests")
    key = opened.world.key(near.task.id)
    who = f"{person_of(opened, near.task)}, {near.task.role}".strip(", ")
    begin_step(screen, "SOLVED", f"As {who}, by the gold calls: one way that really ran when the world was built.")
    if play_episode(screen, opened, near.task, key.calls, key.answer) == "pass":
        made.append("solved")
    begin_step(screen, "NEARLY SOLVED", _difference(opened, near))
    if play_episode(screen, opened, near.task, near.calls[-1:], near.answer) == "fail":
        made.append("near miss")
    return made


def _show_requests(screen: Console, opened: OpenedPack, tasks: Sequence[TaskFacts], last: str) -> bool:
    """Show three requests of different families: two in a line, and in full the one that is solved next."""
    own = next(t for t in tasks if t.id == last)
    chosen = [*choose_examples([t for t in tasks if t.family != own.family], 2), own]
    sheet = read_datasheet(opened.pack)
    assert sheet is not None
    wrong = sheet.false_accepts + sheet.false_rejects
    says = (
        f"{len(tasks)} requests for an agent came with this world ({join_counts(count_families(tasks))}). Their verifiers judged "
        f"{sheet.episodes:,} episodes before it was sealed, {wrong} of them wrongly. Three of them:"
    )
    begin_act(screen, 3, says)
    screen.print()
    for task in chosen:
        line = Text.assemble("  ", (task.id, "bold"), "  ", (f"{task.family:<9}", STYLES[task.family]))
        line.append("" if task is own else escape(task.asks), "dim")
        screen.print(line, no_wrap=True, overflow="ellipsis")
    show_letter(screen, own.instruction, 6)
    return len({t.family for t in chosen}) == len(chosen)


def play_episode(screen: Console, opened: OpenedPack, task: Task, calls: Sequence[Call], answer: Any) -> str:
    """Make the calls and submit; of the verdict, what does not hold and what it came to."""
    player = TaskPlayer(opened.world, task, screen, {})
    for call in calls:
        show_call(player, call.tool, call.arguments)
    print_hanging(screen, Text(escape(f"{player.prompt}{format_call('submit', answer)}"), "bold"), 2)
    player.env.submit(answer)
    verdict = player.verdict()
    show_verdict(screen, verdict, only_failed=True, indent=4)
    player.close()
    return verdict.status


def _difference(opened: OpenedPack, near: NearMiss) -> str:
    changed = "; ".join(f"{name} is {now}, not {was}" for name, was, now in near.changed)
    says = [f"The same, but for one thing: {changed}. No tool objects."]
    says += [f"The handbook does: {opened.checked.policies[rule].says}" for rule in near.broke]
    return " ".join(says)


# finding a near miss


def find_near_miss(opened: OpenedPack) -> NearMiss | None:
    """Find a near miss of a task of one write and few calls, best one where only the handbook knows what is wrong."""
    if not isinstance(opened.world.runtime, Runtime):
        return None
    sandbox = Sandbox(opened.world.runtime)
    tasks = sorted(
        opened.world.tasks,
        key=lambda t: (t.features["calls"] > MAX_CALLS, t.family != "policy", t.features["calls"], t.id),
    )
    for task in (t for t in tasks if t.features.get("writes") == 1):
        harness = VerifierHarness(sandbox, task, opened.world.key(task.id))
        for trial in _list_tries(harness):
            end = harness.end(trial.plan, stop=False)
            if not trial.wanted and trial.right and end.played.ok and len(trial.plan) == 1:
                changed = _list_changed(harness.plan[0], trial.plan[0])
                return NearMiss(task, end.played.calls, trial.answer, changed, end.played.broken)
    return None


def _list_tries(harness: VerifierHarness) -> Iterator[Trial]:
    """Yield somebody who never reads the handbook; then somebody who takes the nearest record for the right one."""
    yield from rules.episodes(harness)
    yield from siblings.episodes(harness)


def _list_changed(right: Call, wrong: Call) -> tuple[tuple[str, Any, Any], ...]:
    names = (n for n in right.arguments if right.arguments[n] != wrong.arguments.get(n))
    return tuple((n, right.arguments[n], wrong.arguments.get(n)) for n in names)


def let_agents_try(screen: Console, place: Path) -> dict[str, float]:
    """Run every agent through every task; return the pass rate of each."""
    begin_act(screen, 4, "Each of the built-in agents, once through every task of this world. No model takes part.")
    screen.print()
    rates: dict[str, float] = {}
    again = total = 0
    with tempfile.TemporaryDirectory() as work:
        for name, says in AGENTS.items():
            made = plan(str(place), AgentSpec(name))
            with Progress(screen, f"episodes of {name}", len(made.episodes)) as progress:
                run = roll(made, Path(work) / name, 0, lambda one, bar=progress: bar.step())  # type: ignore[misc]
            rate = summarise(run).rate
            rates[name] = rate.value or 0.0
            passed = f"{rates[name]:>6.0%}  {rate.passed} of {rate.judged}"
            screen.print(Text.assemble(f"  {name:<8}", (f"{passed:<18}", "bold"), (says, "dim")))
            total += rate.judged
            again += sum(one.same for one in replay_run(run))
    screen.print()
    screen.print(Text(f"  {again} of {total} episodes come out the same when they are played again, word for word"))
    return rates
