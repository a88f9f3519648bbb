"""What the bench shows a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from worldwright.cli.play.call_line import format_call
from worldwright.cli.play.changes import show_changes as show_row_changes
from worldwright.cli.terminal.console import Screen, escape, print_hanging
from worldwright.cli.terminal.tables import show_next
from worldwright.cli.views.steps import read_diff

if TYPE_CHECKING:
    from worldwright.assay.grade import Grade
    from worldwright.author.check import Checkup
    from worldwright.author.diff import Change

STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}
MAX_OF_A_CODE = 6
GRADE_STYLES = {"thin": "bold red", "plain": "bold yellow", "solid": "bold green", "deep": "bold green"}


def show_opened(screen: Screen, facts: Mapping[str, Any]) -> None:
    """Say what lies in a bench that was just opened."""
    screen.print(
        Text(f"{facts['folder']}: {facts['world']}, {facts['claims']:,} claims, {facts['open']:,} of them open")
    )
    show_next(
        screen, f"author check --folder {facts['folder']}", "author guide", f"author serve --folder {facts['folder']}"
    )


def show_checkup(screen: Screen, found: Checkup, every: bool) -> None:
    """Print findings grouped by code, errors first, then the claims and the grade."""
    from worldwright.author.findings import CODES

    groups: dict[str, list[Any]] = {}
    for finding in found.findings:
        groups.setdefault(finding.code, []).append(finding)
    for code, group in groups.items():
        level = CODES[code].level
        screen.print(
            Text.assemble(
                (f"{level}: {code}", STYLES[level]), (f"  {len(group)}", "bold"), (f"  {CODES[code].why}", "dim")
            )
        )
        for finding in group if every else group[:MAX_OF_A_CODE]:
            print_hanging(screen, Text(escape(f"{finding.place}  {finding.says}")), 4)
        if len(group) > MAX_OF_A_CODE and not every:
            screen.print(Text(f"    and {len(group) - MAX_OF_A_CODE} more (--all)", "dim"))
        print_hanging(screen, Text(escape(f"mend: {group[0].mend or CODES[code].mend}"), "cyan"), 4)
    c = found.claims
    lost = f", {c['powerless']:,} bound to what cannot hold them" if c["powerless"] else ""
    screen.print(
        Text(
            f"claims: {c['bound']:,} of {c['business']:,} about the business are bound{lost}, {c['open']:,} open, "
            f"{c['not_expressible']:,} not expressible"
        )
    )
    if found.grade is not None:
        show_grade(screen, found.grade)
    screen.print(
        Text("nothing stands in the way of `author lock`", "green")
        if found.lockable
        else Text("errors stand in the way of `author lock`", "red")
    )


def show_grade(screen: Screen, grade: Grade) -> None:
    """Print a grade: the word, what the next one asks for, and the figures."""
    from worldwright.assay.world_grade import describe_grade

    screen.print(Text.assemble("grade: ", (grade.word, GRADE_STYLES[grade.word])))
    for line in describe_grade(grade.data()):
        print_hanging(screen, Text(escape(line), "dim"), 4)


def show_next_findings(screen: Screen, found: Sequence[Mapping[str, Any]]) -> None:
    """Print the few findings that pay most."""
    if not found:
        screen.print("nothing is left that pays")
    for number, one in enumerate(found, start=1):
        screen.print(Text.assemble((f"{number}. {one['code']}", "bold"), f"  {one['count']}  ", (one["why"], "dim")))
        for finding in one["first"]:
            print_hanging(screen, Text(escape(f"{finding['place']}  {finding['says']}")), 4)
        print_hanging(screen, Text(escape(f"mend: {one['mend']}"), "cyan"), 4)


def show_changes(screen: Screen, found: Sequence[Change]) -> None:
    """Print what is other than it was, by sort."""
    last = ""
    for change in found:
        if change.what != last:
            screen.print(Text(change.what, "bold"))
            last = change.what
        print_hanging(screen, Text(escape(f"{change.name}: {change.before or 'none'} -> {change.after or 'none'}")), 4)
    if not found:
        screen.print("nothing is other than it was")


def show_locked(screen: Screen, lock: Mapping[str, Any]) -> None:
    """Say what was kept."""
    first = lock["worlds"][0]
    screen.print(
        Text.assemble(
            ("✓ ", "bold green"),
            escape(f"{first['name']} is locked in {lock['anchor']}  "),
            (lock["digest"][:12], "dim"),
        )
    )
    screen.print(
        Text(
            f"  grade {first['grade'] or 'none'}; "
            f"{first['claims']['bound']} of {first['claims']['business']} claims about the business bound"
        )
    )
    show_next(screen, f"generate --domain {first['name']}")


def show_beliefs(screen: Screen, found: Sequence[Mapping[str, Any]]) -> None:
    """Print what we believe of operations, with a run that shows it and what was said of them."""
    for one in found:
        answer = one["answer"]
        said = "not looked at" if answer is None else f"{answer['is']}{' by ' + answer['by'] if answer['by'] else ''}"
        style = {"yes": "green", "no": "bold red", "edit": "bold red"}.get(answer["is"] if answer else "", "yellow")
        screen.print(Text.assemble((escape(one["operation"]), "bold"), ("  ", ""), (escape(said), style)))
        print_hanging(screen, Text(escape(one["says"])), 4)
        if answer and answer["instead"]:
            print_hanging(screen, Text(escape(f"instead: {answer['instead']}"), "yellow"), 4)
        example = one["example"]
        if example is not None:
            screen.print(
                Text(escape(f"    {example['role']}: {format_call(example['tool'], example['arguments'])}"), "dim"),
                soft_wrap=True,
            )
            show_row_changes(screen, {table: read_diff(diff) for table, diff in example["diff"].items()}, 6)
