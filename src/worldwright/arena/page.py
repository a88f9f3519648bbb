"""The report of an arena as one page: a file of its own that asks for nothing else, no network and no script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from worldwright.arena.compare import PairedComparison
from worldwright.arena.diagnose.records import CLASSES
from worldwright.arena.evaluate import Evaluation, Failure, rank_agents
from worldwright.arena.guidelines import Guidelines
from worldwright.arena.weakness import Weakness, count_classes, find_hard_knobs, rank_weaknesses
from worldwright.rollout.report.charts import (
    WIDTH,
    draw_bars,
    draw_counts,
    draw_panel,
    draw_svg,
    format_interval,
    format_percent,
)
from worldwright.rollout.report.links import NOWHERE, Links, link_drawn, link_to
from worldwright.rollout.report.markup import Markup, join_markup, tag, truncate
from worldwright.rollout.report.page import render_document
from worldwright.rollout.report.sections import figure, groups_table, table
from worldwright.rollout.report.summary import remark_on_key
from worldwright.rollout.stats import Group

MAX_RANKED = 25
"""Weaknesses that are listed."""
Cell = tuple[int, int]
"""Episodes that failed so, of how many."""


def page(
    name: str,
    found: Sequence[Evaluation],
    pairs: Sequence[PairedComparison],
    advice: Mapping[str, Guidelines],
    left_out: str = "",
) -> str:
    """The page of an arena. The same evaluations give the same bytes."""
    return render_document(f"Arena: {truncate(name, 60)}", render_contest(name, found, pairs, advice, left_out))


def render_contest(
    name: str,
    found: Sequence[Evaluation],
    pairs: Sequence[PairedComparison],
    advice: Mapping[str, Guidelines],
    left_out: str = "",
    links: Links = NOWHERE,
) -> list[Markup]:
    """Everything that is said of an arena."""
    ranked = rank_agents(found)
    domains = len({group.name for one in found for group in one.domains})
    lead = f"{len(ranked)} agents on {ranked[0].rate.tasks:,} tasks of {domains} domains: {name}. {left_out}"
    body = [tag("p", lead, class_="lead")]
    body += [tag("p", remark_on_key(one.agent), class_="remark") for one in ranked if one.sees_key]
    body += [tag("h2", "Leaderboard"), _leaderboard(ranked)]
    if pairs:
        body += [tag("h2", "Against the baseline"), comparison_table(pairs)]
    for at, one in enumerate(ranked):
        body += _agent(one, f"a{at}", advice.get(one.agent_id), links)
    return body


def _leaderboard(ranked: Sequence[Evaluation]) -> Markup:
    groups = [Group(one.agent, one.rate) for one in ranked]
    heads = ("agent", "rate", "interval", "pass^k", "k", "tasks", "judged", "no verdict")
    rows = [
        (
            one.agent, format_percent(one.rate.value), format_interval(one.rate),
            format_percent(one.curves.all[-1].value) if one.curves.all else "–", one.curves.all[-1].k if one.curves.all else 0,
            f"{one.rate.tasks:,}", f"{one.rate.judged:,}", f"{one.rate.errors:,}",
        )
        for one in ranked
    ]  # fmt: skip
    return figure(draw_bars("Pass rate by agent", groups, "board"), table(heads, rows, heads[1:]))


def comparison_table(pairs: Sequence[PairedComparison]) -> Markup:
    heads = ("agent", "baseline", "difference", "interval", "better on", "worse on", "tasks", "p", "clear")
    rows = [
        (
            p.one, p.other, f"{p.difference * 100:+.1f} points", f"{p.low * 100:+.1f} to {p.high * 100:+.1f}", p.better, p.worse,
            f"{p.tasks:,}", f"{p.p:.3g}", "yes" if p.clear else "no",
        )
        for p in pairs
    ]  # fmt: skip
    says = (
        "Paired over the tasks that both were judged on. The interval comes from drawing those tasks anew; p is exact "
        "(sign test over tasks on which the two differ; with one attempt of each, McNemar's)."
    )
    return join_markup([tag("p", says, class_="says"), table(heads, rows, heads[2:])])


def _agent(one: Evaluation, name: str, advice: Guidelines | None, links: Links) -> list[Markup]:
    says = (
        f"{one.rate.passed:,} of {one.rate.judged:,} episodes passed; {len(one.failures):,} failed and were diagnosed."
    )
    out = [
        tag("h2", one.agent, class_="run", id=name),
        tag("p", says, " Agent ", tag("code", one.agent_id), class_="lead"),
    ]
    if one.failures:
        found = [(kind, n, format_percent(share)) for kind, n, share in count_classes(one)]
        rows = [(link_to(k, links.failures(one.agent_id, kind=k)), n, CLASSES[k]) for k, n, _ in found]
        meanings = table(("class", "episodes", "meaning"), rows, ("episodes",))
        chart = draw_counts(
            "Failures by class", found, f"{name}-classes", lambda kind: links.failures(one.agent_id, kind=kind)
        )
        out += [tag("h3", "Why it fails"), figure(chart, meanings)]
        out += [tag("h3", "Where: weakness map"), weakness_map(one, f"{name}-map", links)]
        out += [tag("h3", "Weaknesses, the costliest first"), _render_ranked(one, links)]
    knobs = [
        tag(
            "figure",
            tag("figcaption", tag("b", k.name), " ", k.says),
            draw_panel(f"By {k.name}", k.groups, f"{name}-{k.name}"),
        )
        for k in one.knobs
    ]
    if knobs:
        out += [tag("h3", "By difficulty"), tag("div", *knobs, class_="panels")]
        hard = ", ".join(f"{k.name} {k.bucket} ({format_percent(k.rate.value)})" for k in find_hard_knobs(one))
        out += [tag("p", f"Clearly below the rest: {hard}.", class_="says")] if hard else []
    for what, groups in (
        ("family", one.families),
        ("domain", one.domains),
        ("operation", one.tools),
        ("policy", one.policies),
    ):
        if groups:
            folded = tag("details", tag("summary", f"By {what}"), groups_table(what, groups))
            out.append(folded)
    if advice is not None and advice.items:
        out += [tag("h3", "What to build next"), _advice(advice)]
    return out


def map_cells(one: Evaluation) -> dict[tuple[str, str], Cell]:
    """Count by domain and class how many of the domain's episodes failed so."""
    failed = Counter((f.domain, f.diagnosis.kind) for f in one.failures)
    judged = {group.name: group.rate.judged for group in one.domains}
    return {key: (n, judged[key[0]]) for key, n in failed.items()}


def weakness_map(one: Evaluation, name: str, links: Links = NOWHERE) -> Markup:
    """Domains by classes: the darker, the more of the domain's episodes are lost so."""
    cells = map_cells(one)
    columns = [kind for kind in CLASSES if any(key[1] == kind for key in cells)]
    rows = [group.name for group in one.domains]
    left, top, tall = 20 + 7.2 * max(map(len, rows)), 92.0, 26.0
    wide = min(90.0, (WIDTH - 80 - left) / max(1, len(columns)))
    parts = [
        tag("text", kind, x=0, y=0, class_="tick", transform=f"translate({left + wide * (at + 0.4):.1f} {top - 8:.0f}) rotate(-35)")
        for at, kind in enumerate(columns)
    ]  # fmt: skip
    words = []
    for down, row in enumerate(rows):
        y = top + tall * down
        parts.append(tag("text", row, x=left - 12, y=y + 17, class_="name", text_anchor="end"))
        for over, kind in enumerate(columns):
            n, of = cells.get((row, kind), (0, 0))
            if n:
                says = f"{row}: {n} of {of} episodes, {kind}"
                words.append(says)
                x, deep = left + wide * over, 0.06 + 0.7 * n / of
                drawn = tag(
                    "g",
                    tag("title", says),
                    tag("rect", x=x + 1, y=y + 1, width=wide - 2, height=tall - 2, class_="cell", fill_opacity=deep),
                    tag("text", format_percent(n / of), x=x + wide / 2, y=y + 17, class_="value", text_anchor="middle"),
                )
                parts.append(link_drawn(drawn, links.failures(one.agent_id, kind=kind, domain=row)))
    return tag("figure", draw_svg("Weakness map", "; ".join(words), name, WIDTH, top + tall * len(rows) + 4, parts))


def _render_ranked(one: Evaluation, links: Links) -> Markup:
    rows, found = [], rank_weaknesses(one)
    for w in found[:MAX_RANKED]:
        shown = [tag("li", f.diagnosis.sentence, " ", _cite(f, one.agent_id, links)) for f in w.examples]
        examples = tag("details", tag("summary", w.examples[0].diagnosis.sentence), tag("ul", *shown))
        rows.append(
            (
                w.kind,
                w.domain,
                f"{w.focus} {w.name}",
                link_to(f"{w.failed:,}", _find_failures(w, one.agent_id, links)),
                w.tasks,
                format_percent(w.failed / w.judged),
                examples,
            )
        )
    heads = ("class", "domain", "at", "episodes", "tasks", "lost", "examples")
    more = f"{len(found) - MAX_RANKED} more are in the JSON document." if len(found) > MAX_RANKED else ""
    return join_markup([table(heads, rows, ("episodes", "tasks", "lost")), tag("p", more, class_="says")])


def _cite(failure: Failure, agent: str, links: Links) -> Markup:
    """Name an episode, and lead to it where there is a way."""
    named = tag("code", f"{failure.variant} {failure.task} #{failure.attempt}")
    return link_to(named, links.episode(failure.episode, agent))


def _find_failures(one: Weakness, agent: str, links: Links) -> str:
    """Where the failures of a weakness are."""
    return links.failures(agent, kind=one.kind, domain=one.domain, at=f"{one.focus} {one.name}")


def _advice(advice: Guidelines) -> Markup:
    heads = ("guideline", "share", "domains", "operations and policies", "knobs", "layers", "why")
    rows = [
        (
            g.id, format_percent(g.share), ", ".join(g.domains), ", ".join((*g.operations, *g.policies)),
            ", ".join(f"{k}={v}" for k, v in g.knobs.items()), ", ".join(g.layers), g.why,
        )
        for g in advice.items
    ]  # fmt: skip
    return tag("div", table(heads, rows, ("share",)), class_="wide")
