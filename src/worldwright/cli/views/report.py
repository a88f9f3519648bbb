"""`report` on the screen: one run in full, or several side by side."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from worldwright.cli.terminal.console import escape, heading, print_folded, print_hanging
from worldwright.cli.terminal.tables import grid
from worldwright.english.nouns import count_noun
from worldwright.rollout.knobs import Knob
from worldwright.rollout.report.charts import format_interval, format_percent
from worldwright.rollout.report.facts import format_amount
from worldwright.rollout.report.sections import TRENDS
from worldwright.rollout.report.summary import Summary, compare_runs, name_runs
from worldwright.rollout.stats import Group, Rate, RateDifference

BAR = 24
LINES_SHOWN = 8
"""So many assertions and problems are listed; the page has more."""
_STYLES = {"falls": "green", "rises": "red", "level": "dim"}


def show_run(screen: Console, found: Summary, by: Sequence[Knob]) -> None:
    """Show one run; of its groupings those that were asked for, where some were."""
    where = ", ".join(g.name for g in found.domains)
    print_hanging(screen, Text.assemble((escape(found.agent), "bold"), escape(f" on {where}")), 0)
    screen.print(Text(escape(f"{found.name}, agent {found.agent_id}"), "dim"))
    for remark in found.list_remarks():
        print_hanging(screen, Text(escape(remark), "yellow"), 0)
    _headline(screen, found)
    for one in by:
        heading(screen, escape(one.name), TRENDS.get(one.trend, ""))
        show_groups(screen, one.groups)
    if not by:
        _show_all_groupings(screen, found)


def _show_all_groupings(screen: Console, found: Summary) -> None:
    for name, groups in (("families", found.families), ("domains", found.domains), ("roles", found.roles)):
        if len(groups) > 1:
            heading(screen, name)
            show_groups(screen, groups)
    if found.knobs:
        heading(screen, "difficulty", "the pass rate from little to much")
        grid(screen, ("", "", ""), [_knob(k) for k in found.knobs])
    heading(screen, "endings")
    ends = [(g.name, f"{g.rate.judged + g.rate.errors:,}", _format_rate(g.rate)) for g in found.outcomes]
    grid(screen, ("", "n", ""), ends, right={"n"})
    if found.failing:
        heading(screen, "fails most", "episodes and tasks in which an assertion did not hold")
        most = [(f"{f.episodes:,}", f"{f.tasks:,}", f.name) for f in found.failing[:LINES_SHOWN]]
        grid(screen, ("episodes", "tasks", ""), most, right={"episodes", "tasks"})
    _costs(screen, found)
    if found.problems:
        heading(screen, "no verdict")
        problems = [(f"{p.episodes:,}", p.first, p.says[:300]) for p in found.problems[:LINES_SHOWN]]
        grid(screen, ("episodes", "the first", ""), problems, right={"episodes"})


def _headline(screen: Console, found: Summary) -> None:
    rate = found.rate
    heading(screen, "pass rate", _rate(rate))
    many = f"{rate.passed:,} of {count_noun(rate.judged, 'episode')} of {count_noun(rate.tasks, 'task')} passed"
    screen.print(Text(f"  {many}{f'; {rate.errors:,} have no verdict' if rate.errors else ''}", "dim"))
    if found.attempts < 2:
        return
    heads = ("k", "pass@k", "interval", "pass^k", " interval", "tasks")
    rows = [
        (
            str(a.k),
            format_percent(a.value),
            format_interval(a),
            format_percent(b.value),
            format_interval(b),
            f"{a.tasks:,}",
        )
        for a, b in found.curves.list_pairs()
    ]
    screen.print()
    grid(screen, heads, rows, right=set(heads))


def show_groups(screen: Console, groups: Sequence[Group]) -> None:
    rows = [
        (g.name, _bar(g.rate), format_percent(g.rate.value), _interval(g.rate), _format_rate(g.rate)) for g in groups
    ]
    grid(screen, ("", "", "rate", "interval", ""), rows, right={"rate"})


def _bar(found: Rate) -> Text:
    """The rate as a line; what lies within the interval beyond it is drawn lighter."""
    value, high = round(BAR * (found.value or 0)), round(BAR * (found.high if found.judged else 0))
    return Text.assemble(("━" * value, "cyan"), ("─" * (high - value), "cyan"), ("·" * (BAR - max(value, high)), "dim"))


def _knob(found: Knob) -> tuple[str, Text, str]:
    mark = Text(TRENDS.get(found.trend, ""), _STYLES.get(found.trend, ""))
    return found.name, mark, ", ".join(f"{g.name}: {format_percent(g.rate.value)}" for g in found.groups)


def _rate(found: Rate) -> str:
    return f"{format_percent(found.value)} ({_interval(found)})" if found.judged else "nothing was judged"


def _interval(found: Rate) -> str:
    return format_interval(found) if found.judged else ""


def _format_rate(found: Rate) -> str:
    more = f", {found.errors:,} without verdict" if found.errors else ""
    return f"{found.passed:,} of {found.judged:,} passed{more}"


def _costs(screen: Console, found: Summary) -> None:
    means = found.means
    heading(screen, "an episode", "on average")
    parts = [f"{means.calls:.1f} calls", f"{means.turns:.1f} turns"]
    parts += [f"{format_amount(value)} {escape(name.replace('_', ' '))}" for name, value in means.usage.items()]
    if "total" in means.timing:
        parts.append(f"{format_amount(means.timing['total'])} seconds")
    print_folded(screen, parts, 2)
    if found.shares:
        print_folded(screen, [f"{share:.0%} in {part}" for part, share in found.shares.items()], 2, "dim")


def show_runs(screen: Console, found: Sequence[Summary], by: Sequence[str]) -> None:
    """Show several runs side by side, each but the first against the first."""
    called = list(map(escape, name_runs(found)))
    heads = (
        "run",
        "rate",
        "interval",
        "pass@k",
        "pass^k",
        "k",
        "judged",
        "no verdict",
        "calls",
        f"against {called[0]}",
    )
    gaps = ["", *map(_gap, compare_runs(found))]
    rows = [
        (
            name, format_percent(one.rate.value), _interval(one.rate),
            format_percent(one.curves.any[-1].value if one.attempts else None),
            format_percent(one.curves.all[-1].value if one.attempts else None), str(one.attempts), f"{one.rate.judged:,}",
            f"{one.rate.errors:,}", f"{one.means.calls:.1f}", gap,
        )
        for name, one, gap in zip(called, found, gaps, strict=True)
    ]  # fmt: skip
    grid(screen, heads, rows, 0, right=set(heads[1:-1]))
    for name, one in zip(called, found, strict=True):
        for remark in one.list_remarks():
            print_hanging(
                screen, Text(escape(remark if remark.startswith(one.agent) else f"{name}: {remark}"), "yellow"), 0
            )
    for name in by or ("family", "domain"):
        _show_side_by_side(screen, [one.group_by(name) for one in found], called)


def _gap(found: RateDifference) -> str:
    if not found.tasks:
        return "no common tasks"
    clear = "clear" if found.clear else "not clear"
    bounds = f"{found.low * 100:+.1f} to {found.high * 100:+.1f}"
    return f"{found.value * 100:+.1f} points ({bounds}, {clear}) over {count_noun(found.tasks, 'task')}"


def _show_side_by_side(screen: Console, groupings: Sequence[Knob], called: Sequence[str]) -> None:
    heading(screen, escape(groupings[0].name))
    rates = [{g.name: g.rate for g in one.groups} for one in groupings]
    order = dict.fromkeys(g.name for one in sorted(groupings, key=lambda k: -len(k.groups)) for g in one.groups)
    rows = [
        (
            name,
            *(f"{format_percent(of[name].value)} ({_interval(of[name])})" if name in of else "–" for of in rates),
            "",
        )
        for name in order
    ]
    grid(screen, ("", *called, ""), rows, right=set(called))
