"""The report as one page: a file of its own that asks for nothing else, no network and no script."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from worldwright.rollout.report.charts import Curve, draw_curves, draw_dots, format_interval, format_percent
from worldwright.rollout.report.links import NOWHERE, Links
from worldwright.rollout.report.markup import Markup, join_markup, tag
from worldwright.rollout.report.sections import SECTIONS, figure, groups_table, table, tiles
from worldwright.rollout.report.summary import Summary, compare_runs, name_runs, remark_on_key
from worldwright.rollout.stats import Group

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What the page may load: nothing."""


def render_page(found: Sequence[Summary]) -> str:
    """The page of one run, or of several side by side. The same runs give the same bytes."""
    if len(found) == 1:
        return render_document(title_run(found[0]), render_run(found[0]))
    body = render_comparison(found)
    for at, (one, name) in enumerate(zip(found, name_runs(found), strict=True)):
        body += [tag("h2", name, class_="run", id=f"r{at}"), *render_run(one, f"r{at}")]
    return render_document(f"{len(found)} runs side by side", body)


def title_run(one: Summary) -> str:
    """What the page of a run is called."""
    return f"{one.agent} on {_domains(one)}"


def render_run(one: Summary, at: str = "r0", links: Links = NOWHERE) -> list[Markup]:
    """Everything that is said of one run; `at` is its own in the page."""
    return [_lead(one), *_remarks(one), tiles(one, links), *(part(one, at, links) for part in SECTIONS)]


def render_document(title: str, body: Sequence[Markup]) -> str:
    """A whole page around what stands in it, below a heading with its title."""
    style = resources.files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("title", f"{title} - Worldwright"),
        tag("style", Markup(style)),
    )
    main = tag("main", tag("h1", title), *body)
    return f"<!DOCTYPE html>\n{tag('html', head, tag('body', main), lang='en')}\n"


def _domains(one: Summary) -> str:
    of = [g.name for g in one.domains]
    return f"{len(of)} domains" if len(of) > 3 else ", ".join(of[:-1]) + (" and " if len(of) > 1 else "") + of[-1]


def _lead(one: Summary) -> Markup:
    rate = one.rate
    many = (
        f"{rate.tasks:,} tasks, up to {one.attempts} attempts of each" if one.attempts > 1 else f"{rate.tasks:,} tasks"
    )
    return tag(
        "p",
        f"{many}; {rate.passed:,} of {rate.judged:,} episodes passed. Agent ",
        tag("code", one.agent_id),
        class_="lead",
    )


def _remarks(one: Summary) -> list[Markup]:
    return [tag("p", remark, class_="remark") for remark in one.list_remarks()]


def render_comparison(found: Sequence[Summary], urls: Sequence[str] = ()) -> list[Markup]:
    """Everything that is said of several runs beside each other. `urls` are their own pages, where they have some."""
    called = name_runs(found)
    heads = ("run", "rate", "interval", "pass@k", "pass^k", "k", "judged", "no verdict", "calls")
    rows = [
        (
            tag("a", name, href=urls[at] if urls else f"#r{at}"), format_percent(one.rate.value), format_interval(one.rate),
            format_percent(one.curves.any[-1].value) if one.attempts else "–",
            format_percent(one.curves.all[-1].value) if one.attempts else "–", one.attempts, f"{one.rate.judged:,}",
            f"{one.rate.errors:,}", f"{one.means.calls:.1f}",
        )
        for at, (name, one) in enumerate(zip(called, found, strict=True))
    ]  # fmt: skip
    keyed = [tag("p", remark_on_key(one.agent), class_="remark") for one in found if one.sees_key]
    parts = [table(heads, rows, heads[1:]), *keyed, tag("h2", "Differences"), _differences(found, called)]
    families = list(dict.fromkeys(g.name for one in found for g in one.families))
    series = [
        (name, {"all tasks": one.rate} | {g.name: g.rate for g in one.families})
        for name, one in zip(called, found, strict=True)
    ]
    cells = [
        Group(f"{group}, {name}", rates[group])
        for group in ["all tasks", *families]
        for name, rates in series
        if group in rates
    ]
    chart = draw_dots("Pass rate by family and run", ["all tasks", *families], series, "family")
    parts += [tag("h2", "By family"), figure(chart, groups_table("family and run", cells))]
    return [*parts, _curves(found, called)]


def _curves(found: Sequence[Summary], called: Sequence[str]) -> Markup:
    pairs = [(name, one.curves, at) for at, (name, one) in enumerate(zip(called, found, strict=True)) if one.attempts]
    if max((one.attempts for one in found), default=0) < 2:
        return Markup("")
    some = [Curve(name, of.any, at) for name, of, at in pairs]
    every = [Curve(name, of.all, at) for name, of, at in pairs]
    rows = [
        (name, str(a.k), format_percent(a.value), format_interval(a), format_percent(b.value), format_interval(b))
        for name, of, _ in pairs
        for a, b in zip(of.any, of.all, strict=True)
    ]
    heads = ("run", "k", "pass@k", "interval", "pass^k", "interval ")
    left = tag("div", tag("h3", "pass@k: any of k attempts"), draw_curves("pass@k by run", some, "any", 480, 270))
    right = tag("div", tag("h3", "pass^k: all of k attempts"), draw_curves("pass^k by run", every, "all", 480, 270))
    return join_markup([
        tag("h2", "More attempts"),
        figure(tag("div", left, right, class_="pair"), table(heads, rows, heads[1:])),
    ])  # fmt: skip


def _differences(found: Sequence[Summary], called: Sequence[str]) -> Markup:
    heads = ("run", "difference", "interval", "clear", "better on", "worse on", "common tasks")
    rows = [
        (name, *((f"{d.value * 100:+.1f} points", f"{d.low * 100:+.1f} to {d.high * 100:+.1f}", "yes" if d.clear else "no")
                 if d.tasks else ("–", "–", "–")), f"{d.better:,}", f"{d.worse:,}", f"{d.tasks:,}")
        for name, d in zip(called[1:], compare_runs(found), strict=True)
    ]  # fmt: skip
    says = (f"Against {called[0]}: the pass rate of each task less that of the same task there, over the tasks that both have. "
            "The intervals come from drawing those tasks anew with replacement.")  # fmt: skip
    return join_markup([tag("p", says, class_="says"), table(heads, rows, heads[1:])])
