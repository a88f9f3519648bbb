"""A gate, as the screen shows it and as `--json` prints it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from worldwright.cli.terminal.console import Screen, escape, heading, print_hanging
from worldwright.cli.terminal.tables import grid
from worldwright.english.nouns import count_noun
from worldwright.gate.band import KEPT, LABELS, TOO_EASY, TOO_HARD, UNDECIDED
from worldwright.gate.records import ADAPTIVE, GateResult, LabelledTask, count_labels, gate_data, list_cautions
from worldwright.gate.results import load_dropped_tasks, path_of
from worldwright.gate.run import Gate

STYLES = {KEPT: "green", TOO_EASY: "yellow", TOO_HARD: "red", UNDECIDED: "dim"}
HEADS = ("task", "label", "sure", "attempts", "p", "95 %", "p(1-p)", "95 % ", "score")
MAX_MARKS = 12
"""Attempts that are drawn one by one; more are counted."""


def gate_document(gate: Gate, missing: int) -> dict[str, Any]:
    worlds = []
    for subject, gated in zip(gate.subjects, gate.summarise(), strict=True):
        judged = gated.judge(subject.tasks)
        without = load_dropped_tasks(gated.world)
        data = gate_data(gated)
        data["tasks"] = [one.data() for one in judged]
        data["shares"] = count_labels(judged)
        data["kept"] = [one.task for one in judged if one.label == KEPT and one.task not in without]
        data["dropped"] = sorted(without)
        data["file"] = str(path_of(gated.world, gated.who.id))
        worlds.append(data)
    return {
        "worlds": worlds,
        "reused": gate.reused,
        "without_verdict": missing,
        "caution": list_cautions(gate.summarise()[0]),
    }


def show_gate(screen: Screen, gate: Gate) -> None:
    for subject, gated in zip(gate.subjects, gate.summarise(), strict=True):
        _world(screen, gated, gated.judge(subject.tasks))
    screen.print()
    for says in list_cautions(gate.summarise()[0]):
        print_hanging(screen, Text(says, "yellow"), 0)


def _world(screen: Screen, gated: GateResult, judged: tuple[LabelledTask, ...]) -> None:
    who = f"by {escape(gated.who.name)} ({gated.who.id}), {gated.band} kept"
    heading(screen, f"{gated.kind_name} {world_title(gated.domain, gated.variant)}", who)
    found = count_labels(judged)
    parts = [
        f"{found[label]} {label} ({found[label] / len(judged):.0%})"
        for label in LABELS
        if found[label] or label != UNDECIDED
    ]
    screen.print(Text(f"  {count_noun(len(judged), 'task')}: {', '.join(parts)}", "bold"))
    grid(screen, HEADS, [_row(one) for one in judged], right=("sure", "p", "p(1-p)"))
    without = sorted(set(gated.list_kept()) & load_dropped_tasks(gated.world))
    if without:
        screen.print(Text(f"  of those kept, dropped because a benchmark has them: {', '.join(without)}", "yellow"))
    if gated.method == ADAPTIVE:
        low, high = gated.band.borders
        screen.print(Text(f"  adaptive: labels by where p probably lies, with borders at {low:g} and {high:g}", "dim"))
    screen.print(Text(f"  {path_of(gated.world, gated.who.id)}", "dim"), soft_wrap=True)


def world_title(domain: str, variant: str) -> str:
    """A pack that was opened by its folder has that as its variant, which may say the same twice."""
    return domain if domain == variant else f"{domain} {variant}"


def _row(one: LabelledTask) -> tuple[str | Text, ...]:
    f = one.figures
    p, variance, score = (("-" if x is None else f"{x:.2f}") for x in (f.p, f.variance, f.score))
    sure = "-" if one.label == UNDECIDED else f"{one.sure:.0%}"
    label = Text(one.label, STYLES[one.label])
    return (
        one.task,
        label,
        sure,
        _format_attempts(one.attempts),
        p,
        _span(f.p_interval),
        variance,
        _span(f.variance_interval),
        score,
    )


def _format_attempts(attempts: Mapping[int, bool]) -> str:
    """Format each attempt, in order: `+-++- 3 of 5`."""
    count = f"{sum(attempts.values())} of {len(attempts)}"
    return (
        count
        if len(attempts) > MAX_MARKS
        else f"{''.join('+' if ok else '-' for ok in attempts.values())} {count}".strip()
    )


def _span(interval: tuple[float, float]) -> str:
    return f"{interval[0]:.2f}-{interval[1]:.2f}"
