"""The sections of the page: each takes a summary and says one thing about it, as a chart with its numbers below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from worldwright.rollout.knobs import Knob
from worldwright.rollout.report.charts import (
    Curve,
    draw_bars,
    draw_counts,
    draw_curves,
    draw_heatmap,
    draw_panel,
    draw_shares,
    format_interval,
    format_percent,
)
from worldwright.rollout.report.examples import HEAD, Example, ExampleMessage
from worldwright.rollout.report.facts import format_amount, list_facts
from worldwright.rollout.report.links import NOWHERE, Links, link_to
from worldwright.rollout.report.markup import Markup, join_markup, tag, truncate
from worldwright.rollout.report.summary import MAX_PROBLEMS, PARTS, Summary
from worldwright.rollout.stats import Group, PassPoint

TIMED = ("total", *PARTS)
TRENDS = {"falls": "↓ falls", "rises": "↑ rises somewhere", "level": "no clear change"}
HOW = (
    "Rates are of judged episodes. Intervals hold the true rate in 95 of 100 cases: Wilson's, with attempts of one task taken "
    "for as many episodes as they are worth, since attempts of one task are alike."
)


def figure(chart: Markup, table: Markup) -> Markup:
    """A chart with its numbers folded below it."""
    return tag("figure", chart, numbers(table))


def numbers(table: Markup) -> Markup:
    return tag("details", tag("summary", "Numbers"), table)


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[str] = ()) -> Markup:
    """A table; columns named in `right` hold numbers."""
    kinds = ["number" if h in right else None for h in heads]
    head = tag("tr", *(tag("th", h, class_=kind, scope="col") for h, kind in zip(heads, kinds, strict=True)))
    body = [tag("tr", *(tag("td", cell, class_=kind) for cell, kind in zip(row, kinds, strict=True))) for row in rows]
    return tag("div", tag("table", tag("thead", head) if any(heads) else "", tag("tbody", *body)), class_="wide")


def groups_table(name: str, groups: Sequence[Group], links: Links = NOWHERE) -> Markup:
    """The numbers of some groups. With links, `name` is by what episodes have them in common."""
    heads = (name, "rate", "interval", "passed", "judged", "tasks", "no verdict")

    def which(group: Group, **more: str) -> str:
        return links.episodes(**{name: group.name, **more}) if name.isidentifier() else ""

    cells = [
        (link_to(g.name, which(g)), format_percent(g.rate.value), format_interval(g.rate) if g.rate.judged else "–",
         link_to(f"{g.rate.passed:,}", which(g, status="pass")), link_to(f"{g.rate.judged:,}", which(g)), f"{g.rate.tasks:,}",
         link_to(f"{g.rate.errors:,}", which(g, status="error") if g.rate.errors else ""))
        for g in groups
    ]  # fmt: skip
    return table(heads, cells, heads[1:])


def tiles(found: Summary, links: Links = NOWHERE) -> Markup:
    rate, last = found.rate, found.curves.any[-1:]
    parts = [
        _tile(
            "Pass rate",
            format_percent(rate.value),
            f"interval {format_interval(rate)}" if rate.judged else "nothing judged",
            links.episodes(status="pass"),
        )
    ]
    if found.attempts > 1:
        always = found.curves.all[-1]
        parts.append(_tile(f"pass@{found.attempts}", format_percent(last[0].value), "at least one attempt passes"))
        parts.append(_tile(f"pass^{found.attempts}", format_percent(always.value), "every attempt passes"))
    parts.append(_tile("Episodes", f"{rate.judged:,}", f"of {rate.tasks:,} tasks", links.episodes()))
    if rate.judged > rate.passed:
        failed = links.episodes(status="fail")
        parts.append(_tile("Failed", f"{rate.judged - rate.passed:,}", "judged, and not passed", failed))
    if rate.errors:
        parts.append(_tile("No verdict", f"{rate.errors:,}", "something else failed", links.episodes(status="error")))
    parts.append(_tile("Calls", f"{found.means.calls:.1f}", f"in {found.means.turns:.1f} turns, on average"))
    return tag("div", *parts, class_="tiles")


def _tile(name: str, value: str, says: str, url: str = "") -> Markup:
    inner = (tag("span", name, class_="of"), tag("b", value), tag("span", says))
    return tag("a", *inner, class_="tile", href=url) if url else tag("div", *inner, class_="tile")


def attempts(found: Summary, at: str, links: Links = NOWHERE) -> Markup:
    if found.attempts < 2:
        return Markup("")
    both = [Curve("pass@k: any of k", found.curves.any, 0), Curve("pass^k: all of k", found.curves.all, 1)]
    return join_markup([
        tag("h2", "More attempts"),
        tag("p", "How often at least one of k attempts passes, and how often all of them do. The bands come from drawing the tasks "
                 "anew with replacement.", class_="says"),
        figure(draw_curves("pass@k and pass^k", both, f"{at}-k"), curves_table(found)),
    ])  # fmt: skip


def curves_table(found: Summary) -> Markup:
    def cells(p: PassPoint) -> tuple[str, str]:
        return format_percent(p.value), format_interval(p)

    heads = ("k", "pass@k", "interval", "pass^k", "interval ", "tasks")
    rows = [(str(a.k), *cells(a), *cells(b), f"{a.tasks:,}") for a, b in found.curves.list_pairs()]
    return table(heads, rows, heads)


def groups(found: Summary, at: str, links: Links = NOWHERE) -> Markup:
    parts = [tag("h2", "Where it passes"), tag("p", HOW, class_="says")]
    for name, title, of in (
        ("family", "By family of tasks", found.families),
        ("domain", "By domain", found.domains),
        ("role", "By role of the agent", found.roles),
    ):
        if len(of) > 1 or name == "family":
            parts.append(tag("h3", title))
            chart = draw_bars(f"Pass rate {title.lower()}", of, f"{at}-{name}", url_of=_url_of(links, name))
            parts.append(figure(chart, groups_table(name, of, links)))
        if name == "domain" and len(of) > 1 and len(found.families) > 1:
            parts += [tag("h3", "By domain and family"), _render_heatmap(found, at)]
    return join_markup(parts)


def _url_of(links: Links, by: str) -> Callable[[str], str]:
    """Where a group leads whose episodes have something in common."""
    return lambda value: links.episodes(**{by: value})


def _render_heatmap(found: Summary, at: str) -> Markup:
    rows, columns = [g.name for g in found.domains], [g.name for g in found.families]
    chart = draw_heatmap("Pass rate by domain and family", rows, columns, found.cells, f"{at}-heat")
    cells = [
        Group(f"{row}, {column}", found.cells[row, column])
        for row in rows
        for column in columns
        if (row, column) in found.cells
    ]
    return figure(chart, groups_table("domain and family", cells))


def difficulty(found: Summary, at: str, links: Links = NOWHERE) -> Markup:
    if not found.knobs:
        return Markup("")
    panels = [_panel(k, f"{at}-knob{number}") for number, k in enumerate(found.knobs)]
    rows = [(k.name, g) for k in found.knobs for g in k.groups]
    says = (
        "The pass rate over each measure of difficulty, from little to much. It rises somewhere when the interval of a later "
        "bucket lies wholly above that of an earlier one, and falls when none does and one lies wholly below."
    )
    heads = ("measure", "bucket", "rate", "interval", "passed", "judged", "tasks")
    cells = [
        (name, link_to(g.name, links.episodes(knob=f"{name}:{g.name}")), format_percent(g.rate.value),
         format_interval(g.rate) if g.rate.judged else "–", f"{g.rate.passed:,}", f"{g.rate.judged:,}", f"{g.rate.tasks:,}")
        for name, g in rows
    ]  # fmt: skip
    every = table(heads, cells, heads[2:])
    parts = [tag("h2", "What makes it hard"), tag("p", says, class_="says"), tag("div", *panels, class_="panels")]
    return join_markup([*parts, numbers(every)])


def _panel(found: Knob, name: str) -> Markup:
    mark = TRENDS.get(found.trend, "")
    caption = [tag("b", found.name), " ", tag("span", mark, class_=found.trend or None), tag("br"), found.says]
    return tag("figure", tag("figcaption", *caption), draw_panel(found.name, found.groups, name))


def endings(found: Summary, at: str, links: Links = NOWHERE) -> Markup:
    ends = [(g.name, g.rate.judged + g.rate.errors, _format_rate(g)) for g in found.outcomes]
    parts = [
        tag("h2", "How episodes ended"),
        figure(
            draw_counts("How episodes ended", ends, f"{at}-ends", _url_of(links, "outcome")),
            groups_table("outcome", found.outcomes, links),
        ),
    ]
    if found.failing:
        most = [(f.name, f.episodes, f"of {f.tasks:,} tasks") for f in found.failing[:MAX_PROBLEMS]]
        rows = [
            (link_to(f.name, links.episodes(assertion=f.name)), f"{f.episodes:,}", f"{f.tasks:,}")
            for f in found.failing[:100]
        ]
        every = table(("assertion", "episodes", "tasks"), rows, ("episodes", "tasks"))
        failed = found.rate.judged - found.rate.passed
        says = f"What did not hold in the {failed:,} episodes that failed; several may fail in one of them."
        parts += [tag("h2", "What fails most"), tag("p", says, class_="says")]
        parts.append(
            figure(
                draw_counts("Assertions that failed most", most, f"{at}-failing", _url_of(links, "assertion")), every
            )
        )
    return join_markup(parts)


def _format_rate(group: Group) -> str:
    return f"{format_percent(group.rate.value)} pass" if group.rate.judged else "no verdict"


def costs(found: Summary, at: str, links: Links = NOWHERE) -> Markup:
    means = found.means
    rows = [("calls", f"{means.calls:.1f}"), ("turns", f"{means.turns:.1f}")]
    rows += [(name.replace("_", " "), format_amount(value)) for name, value in means.usage.items()]
    rows += [
        ("seconds" if n == "total" else f"of these in {n}", format_amount(means.timing[n]))
        for n in TIMED
        if n in means.timing
    ]
    parts = [tag("h2", "What an episode takes"), table(("on average", ""), rows, ("",))]
    if found.shares:
        pieces = table(("part", "share"), [(n, f"{s * 100:.1f}%") for n, s in found.shares.items()], ("share",))
        parts.append(tag("h3", "Where the time goes"))
        parts.append(figure(draw_shares("Where the time goes", found.shares, f"{at}-time"), pieces))
    return join_markup(parts)


def problems(found: Summary, at: str, links: Links = NOWHERE) -> Markup:
    if not found.problems:
        return Markup("")
    rows = [
        (f"{p.episodes:,}", truncate(p.says, 400), link_to(tag("code", p.first), links.episode(p.first)))
        for p in found.problems[:MAX_PROBLEMS]
    ]
    left = len(found.problems) - len(rows)
    says = (
        "Something failed that is not the agent's: an endpoint, a limit of the machine, a world. They are in no rate."
    )
    parts = [tag("h2", "Episodes without a verdict"), tag("p", says, class_="says")]
    parts.append(table(("episodes", "what failed", "the first of them"), rows, ("episodes",)))
    if left:
        parts.append(tag("p", f"and {left:,} more kinds of failure", class_="quiet"))
    return join_markup(parts)


def examples(found: Summary, at: str, links: Links = NOWHERE) -> Markup:
    if not found.examples:
        return Markup("")
    says = "One of each family and way to end, as far as there is room. Long texts are cut."
    return join_markup(
        [tag("h2", "Examples"), tag("p", says, class_="says"), *(_example(one, links) for one in found.examples)]
    )


def _example(one: Example, links: Links) -> Markup:
    mark = tag("b", "passed" if one.status == "pass" else "failed", class_=one.status)
    title = f" {one.domain}, {one.task} ({one.family}), attempt {one.attempt}: {one.outcome} after {one.calls} calls"
    parts: list[Markup] = []
    if one.failed:
        parts.append(table(("did not hold", "expected", "found"), one.failed))
    for number, said in enumerate(one.said):
        if one.left_out and number == HEAD:
            parts.append(tag("p", f"… {one.left_out} messages left out …", class_="quiet"))
        parts.append(_message(said))
    return tag(
        "details",
        tag("summary", mark, title),
        tag("p", link_to(tag("code", one.id), links.episode(one.id)), class_="quiet"),
        *parts,
        class_="example",
    )


def _message(said: ExampleMessage) -> Markup:
    parts = [tag("div", said.role, class_="who")]
    if said.thought:
        parts.append(tag("pre", said.thought, class_="thought"))
    if said.text:
        parts.append(tag("pre", said.text, class_="said" if said.role in ("user", "assistant") else None))
    parts += [tag("pre", f"{name} {arguments}") for name, arguments in said.calls]
    return tag("div", *parts, class_="message agent" if said.role == "assistant" else "message")


def render_facts(found: Summary, at: str, links: Links = NOWHERE) -> Markup:
    rows = [(name, tag("span", value, class_="mono" if mono else None)) for name, value, mono in list_facts(found)]
    return join_markup([tag("h2", "What was run"), table(("", " "), rows)])


Section = Callable[[Summary, str, Links], Markup]
SECTIONS: tuple[Section, ...] = (attempts, groups, difficulty, endings, costs, problems, examples, render_facts)
