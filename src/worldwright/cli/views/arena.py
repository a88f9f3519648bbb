"""An arena on the screen: the leaderboard, who is better, why they fail, and where."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from worldwright.arena.compare import PairedComparison
from worldwright.arena.contest import PAGE, Contest
from worldwright.arena.evaluate import Evaluation, rank_agents
from worldwright.arena.evolve.loop import Evolution
from worldwright.arena.weakness import count_classes, rank_weaknesses
from worldwright.cli.terminal.console import escape, heading
from worldwright.cli.terminal.tables import grid
from worldwright.english.nouns import count_noun
from worldwright.rollout.report.charts import format_interval, format_percent

WEAKNESSES_SHOWN = 6
"""Weaknesses of one agent that are shown; the page has all."""


def show_contest(screen: Console, found: Contest, out: Path) -> None:
    domains = sorted({place.domain for place in found.field.places})
    heading(
        screen,
        "Arena",
        f"{count_noun(len(found.field.places), 'world')} of {count_noun(len(domains), 'domain')}: {found.field.name}",
    )
    for why, n in found.field.left_out.items():
        screen.print(Text(f"  {count_noun(n, 'task')} left out: {why}", "dim"))
    rows = [_row(one) for one in rank_agents(found.evaluations)]
    heads = ("agent", "rate", "interval", "pass^k", "judged", "no verdict")
    grid(screen, heads, rows, right=heads[1:])
    for pair in found.pairs:
        screen.print(Text(f"  {pair_text(pair)}"), soft_wrap=True)
    for one in rank_agents(found.evaluations):
        if one.failures:
            _failures(screen, one)
    screen.print(Text.assemble(("\n  ", ""), (str(out / PAGE), "bold")), soft_wrap=True)


def _row(one: Evaluation) -> tuple[str, ...]:
    last = one.curves.all[-1] if one.curves.all else None
    hat = "–" if last is None else f"{format_percent(last.value)} (k={last.k})"
    return (
        one.agent + (" (is given the key)" if one.sees_key else ""), format_percent(one.rate.value),
        format_interval(one.rate), hat, f"{one.rate.judged:,}", f"{one.rate.errors:,}",
    )  # fmt: skip


def pair_text(pair: PairedComparison) -> str:
    how = "clearly different" if pair.clear else "not clearly different"
    return (
        f"{pair.one} against {pair.other}: {pair.difference * 100:+.1f} points ({pair.low * 100:+.1f} to {pair.high * 100:+.1f}), "
        f"better on {pair.better} tasks, worse on {pair.worse}, p = {pair.p:.3g}: {how}"
    )


def _failures(screen: Console, one: Evaluation) -> None:
    heading(screen, f"Why {one.agent} fails", f"{len(one.failures):,} failed episodes")
    counted = [(kind, f"{n:,}", format_percent(share)) for kind, n, share in count_classes(one)]
    grid(screen, ("class", "episodes", "share"), counted, right=("episodes", "share"))
    for weak in rank_weaknesses(one)[:WEAKNESSES_SHOWN]:
        says = f"{weak.kind} in {weak.domain} ({weak.failed}): {weak.examples[0].diagnosis.sentence}"
        screen.print(Text(f"  {escape(says)}"), soft_wrap=True)


def show_evolution(screen: Console, found: Evolution, page: Path) -> None:
    heading(
        screen,
        "Evolution",
        f"{found.settings.player.spec}, {count_noun(len(found.rounds), 'round')}, {count_noun(len(found.born), 'world')} built",
    )
    start = found.start.rate
    rows = [("start", "", "", "", format_percent(start.value), format_interval(start), "")]
    rows += [
        (
            f"round {one.number}", format_percent(one.dev.rate.value), str(len(one.built)), str(one.number_kept),
            format_percent(one.after.rate.value), format_interval(one.after.rate), one.verdict,
        )
        for one in found.rounds
    ]  # fmt: skip
    heads = ("", "development", "worlds", "kept", "held out", "interval", "verdict")
    grid(screen, heads, rows, right=heads[1:6])
    for one in found.rounds:
        for number, pair in one.earlier:
            screen.print(
                Text(f"  after round {one.number}, tasks of round {number}: {pair_text(pair)}"), soft_wrap=True
            )
    screen.print(Text(f"\n  first to last: {pair_text(found.overall)}"), soft_wrap=True)
    screen.print(Text.assemble(("\n  ", ""), (str(page), "bold")), soft_wrap=True)
