"""The report of an evolution: a document, and a page with curves and weakness maps before and after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worldwright.arena.evolve.loop import Evolution
from worldwright.arena.page import comparison_table, weakness_map
from worldwright.core.canonical import pretty_json
from worldwright.core.whole_file import write_whole
from worldwright.english.nouns import count_noun
from worldwright.rollout.report.charts import draw_bars, draw_counts, draw_dots, format_interval, format_percent
from worldwright.rollout.report.markup import Markup, tag
from worldwright.rollout.report.page import render_document
from worldwright.rollout.report.sections import figure, groups_table, table
from worldwright.rollout.report.summary import render_rate
from worldwright.rollout.stats import Group

REPORT, PAGE = "evolve.json", "evolve.html"


def evolution_data(found: Evolution) -> dict[str, Any]:
    return {
        "agent": found.settings.player.spec,
        "start": render_rate(found.start.rate),
        "rounds": [one.data() for one in found.rounds],
        "whole": found.overall.data(),
        "worlds": len(found.born),
        "ended": not found.rounds or not found.rounds[-1].goes_on or len(found.rounds) == found.settings.rounds,
    }


def write_evolution(out: Path, found: Evolution) -> None:
    write_whole(out / REPORT, pretty_json(evolution_data(found)))
    write_whole(out / PAGE, evolution_page(found))


def evolution_page(found: Evolution) -> str:
    whole = found.overall
    lead = (
        f"{count_noun(len(found.rounds), 'round')}, {count_noun(len(found.born), 'world')} built. On the held-out worlds: "
        f"{format_percent(found.start.rate.value)} at the start, "
        f"{format_percent(found.rounds[-1].after.rate.value) if found.rounds else '–'} now "
        f"({whole.difference * 100:+.1f} points, {whole.low * 100:+.1f} to {whole.high * 100:+.1f}, p = {whole.p:.3g})."
    )
    body = [tag("p", lead, class_="lead"), tag("h2", "Held-out worlds, round after round"), _curve(found)]
    body += [tag("h2", "Against the number of worlds"), _growth(found)]
    body += [tag("h2", "Rounds"), _rounds(found), comparison_table([one.change for one in found.rounds])]
    body += _render_forgetting(found)
    if found.rounds:
        first, last = found.rounds[0], found.rounds[-1]
        body += [tag("h2", "Weakness map of the development worlds"), tag("h3", f"Before round 1: {first.agent}")]
        body += [weakness_map(first.dev, "before")]
        if last is not first:
            body += [tag("h3", f"Before round {last.number}: {last.agent}"), weakness_map(last.dev, "after")]
    return render_document(f"Evolution of {found.settings.player.spec}", body)


def _curve(found: Evolution) -> Markup:
    held = {"start": found.start.rate} | {f"after round {one.number}": one.after.rate for one in found.rounds}
    dev = {f"after round {one.number - 1}" if one.number > 1 else "start": one.dev.rate for one in found.rounds}
    chart = draw_dots("Pass rate by round", list(held), [("held out", held), ("development", dev)], "curve")
    return figure(chart, groups_table("held out", [Group(name, rate) for name, rate in held.items()]))


def _growth(found: Evolution) -> Markup:
    total, groups = 0, [Group("0 worlds", found.start.rate)]
    for one in found.rounds:
        total += len(one.built)
        groups.append(Group(count_noun(total, "world"), one.after.rate))
    return figure(
        draw_bars("Held-out pass rate against worlds built", groups, "growth"), groups_table("worlds", groups)
    )


def _rounds(found: Evolution) -> Markup:
    heads = (
        "round",
        "agent",
        "development",
        "worlds",
        "tasks",
        "wanted",
        "kept",
        "held out after",
        "interval",
        "verdict",
    )
    rows = [
        (
            one.number, one.agent, format_percent(one.dev.rate.value), len(one.built), sum(b.tasks for b in one.built),
            sum(len(b.wanted) for b in one.built), one.number_kept, format_percent(one.after.rate.value),
            format_interval(one.after.rate), one.verdict,
        )
        for one in found.rounds
    ]  # fmt: skip
    asked: dict[str, int] = {}
    for born in found.born:
        asked[born.guideline] = asked.get(born.guideline, 0) + 1
    bars_ = draw_counts("Worlds by guideline", [(name, n, "worlds") for name, n in asked.items()], "asked")
    return figure(bars_, table(heads, rows, heads[2:9]))


def _render_forgetting(found: Evolution) -> list[Markup]:
    rows = [
        (
            one.number, number, format_percent(pair.other_rate), format_percent(pair.rate), f"{pair.difference * 100:+.1f} points",
            f"{pair.low * 100:+.1f} to {pair.high * 100:+.1f}", pair.tasks,
        )
        for one in found.rounds
        for number, pair in one.earlier
    ]  # fmt: skip
    if not rows:
        return []
    heads = ("after round", "set of round", "before", "after", "difference", "interval", "tasks")
    says = "The tasks that each round kept, played by the agent before and after a round: what was learned, and what was forgotten."
    return [tag("h2", "Earlier sets"), tag("p", says, class_="says"), table(heads, rows, heads[2:])]
