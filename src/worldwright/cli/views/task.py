"""Tasks on the screen: a list, one task as an agent sees it, and its key as a reviewer needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.cli.play.call_line import format_call
from worldwright.cli.terminal.console import escape, format_value, heading, print_folded, print_hanging
from worldwright.cli.terminal.tables import grid, show_pairs
from worldwright.cli.views.part import show_source
from worldwright.english.nouns import count_noun
from worldwright.facts.datasheet import Counts, Datasheet
from worldwright.facts.key import RowFacts, RuleFacts, WantedFacts
from worldwright.facts.task import FAMILIES_SAY, TaskFacts, choose_examples, count_families, join_counts, list_features
from worldwright.facts.tool import describe_type
from worldwright.kinds.database.battery.run import CELLS
from worldwright.world.records import Call
from worldwright.world.tasks import Key, Task

HEADS = ("task", "family", "for", "from", "form", "calls", "writes", "ends")
STYLES = {"walk": "green", "program": "cyan", "policy": "magenta", "repair": "yellow"}
MAX_VALUE_CHARS = 24
"""The widest value of a call that is shown with where it comes from."""
MARK_STYLES = {"+": "green", "~": "yellow", "-": "red"}


def show_list(screen: Console, tasks: Sequence[TaskFacts], of: int) -> None:
    """Show two lines for each task: who, how much, and below it what is asked."""
    rows = [HEADS, *(_cells(t) for t in tasks)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADS))]
    screen.print(Text("  " + _line(HEADS, widths), "dim"), no_wrap=True, overflow="ellipsis")
    for task, cells in zip(tasks, rows[1:], strict=True):
        line = Text("  " + _line(cells, widths))
        line.stylize("bold", 2, 2 + len(task.id))
        at = 2 + widths[0] + 2
        line.stylize(STYLES.get(task.family, ""), at, at + widths[1])
        screen.print(line, no_wrap=True, overflow="ellipsis")
        screen.print(Text(f"    {escape(task.asks)}", "dim"), no_wrap=True, overflow="ellipsis")
    shown_ = f"{len(tasks)} of {count_noun(of, 'task')}" if len(tasks) != of else count_noun(of, "task")
    screen.print()
    screen.print(Text(f"  {shown_}: {join_counts(count_families(tasks)) or 'none of that kind'}"))


def _cells(task: TaskFacts) -> tuple[str, ...]:
    figures = (format_value(task.features.get(k)) for k in ("calls", "writes", "end_states"))
    words = (task.id, task.family, task.role or "-", task.persona or "-", task.form)
    return (*map(escape, words), *figures)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """The last three are numbers."""
    parts = [
        c.ljust(w) if i < len(cells) - 3 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(parts).rstrip()


def show_tasks(screen: Console, tasks: Sequence[TaskFacts], sheet: Datasheet | None) -> None:
    """The section of `inspect`."""
    if not tasks:
        return
    proven = ""
    if sheet is not None:
        wrong = sheet.false_accepts + sheet.false_rejects
        proven = f"; {sheet.episodes:,} episodes of the battery, {wrong} judged wrongly"
    heading(screen, "tasks", f"{count_noun(len(tasks), 'task')}{proven}")
    rows = [(Text(name, STYLES[name]), f"{n:>4}", FAMILIES_SAY[name]) for name, n in count_families(tasks).items()]
    grid(screen, ("", "", ""), rows)
    for task in choose_examples(tasks):
        screen.print()
        line = Text.assemble("  ", (task.id, "bold"), "  ", (task.family, STYLES[task.family]))
        screen.print(line + Text(f"  for {escape(task.role) or 'anyone'}", "dim"))
        print_hanging(screen, Text(escape(task.asks)), 6)


# one task


def show_task(screen: Console, task: Task, person: str, persona: str) -> None:
    family = (task.family, f"bold {STYLES.get(task.family, '')}")
    screen.print(Text.assemble((task.id, "bold"), "  ", family, (f"  {escape(task.form)}", "dim")))
    who = f"{escape(person)} ({escape(task.actor)}), {escape(task.role)}" if person else escape(task.role or "anyone")
    sender = f"{escape(task.persona)}: {escape(persona)}" if persona else escape(task.persona)
    pairs = [("asked of", who), ("asked by", sender)]
    show_pairs(screen, pairs)
    show_instruction(screen, task)
    heading(screen, "answer", "what `submit` takes")
    grid(screen, ("", ""), list_answer_parts(task.answer_schema))
    rows = list_features(task.features)
    if rows:
        heading(screen, "difficulty", "measured on the witness")
        grid(screen, ("", "", ""), [(n, Text(escape(v), "bold"), Text(escape(says), "dim")) for n, v, says in rows])


def show_instruction(screen: Console, task: Task) -> None:
    heading(screen, "instruction")
    show_letter(screen, task.instruction)


def show_letter(screen: Console, text: str, indent: int = 2) -> None:
    """Show what somebody wrote, line by line."""
    for line in escape(text, lines=True).split("\n"):
        if line.strip():
            print_hanging(screen, Text(line), indent)
        else:
            screen.print()


def list_answer_parts(schema: Mapping[str, Any]) -> list[tuple[Text, Text]]:
    """List each part of an answer with its type and what it means; the outcome first, the rule last."""
    out = []
    parts = schema.get("properties", {})
    for name, part in sorted(parts.items(), key=lambda item: (item[0] == "rule", item[0] != "outcome")):
        if isinstance(part, Mapping):
            kind, says = escape(describe_type(_remove_null(part))), escape(str(part.get("description", "")))
            out.append((Text(escape(str(name)), "bold"), Text.assemble(kind, (f"  {says}", "dim"))))
    return out


def _remove_null(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Remove `null` from a schema, which every part of an answer may be."""
    out = {k: [v for v in part[k] if v is not None] if k == "enum" else part[k] for k in part}
    if isinstance(out.get("type"), list):
        out["type"] = next((t for t in out["type"] if t != "null"), "")
    return out


# its key


def show_calls(screen: Console, calls: Sequence[Call], writes: frozenset[str], answer: Any) -> None:
    heading(screen, "gold", "one way that really ran; any other way to an accepted end state passes too")
    for i, call in enumerate(calls, start=1):
        style = "yellow" if call.tool in writes else ""
        grid(screen, ("", ""), [(Text(f"{i:>3}", "dim"), Text(escape(format_call(call.tool, call.arguments)), style))])
    if isinstance(answer, Mapping):
        pairs = escape(format_call("submit", answer))
        grid(screen, ("", ""), [(Text("end", "dim"), Text(pairs, "green"))])


def show_wanted(screen: Console, wanted: Sequence[WantedFacts]) -> None:
    if not wanted:
        return
    heading(screen, "goal" if len(wanted) == 1 else "goals", "what must be so at the end")
    for goal in wanted:
        about = ", ".join(f"{k} = {v}" for k, v in goal.about.items())
        print_hanging(screen, Text.assemble((escape(goal.goal), "bold"), f"  {escape(about)}"), 2)
        for text in (goal.wants, *goal.mentions):
            print_hanging(screen, Text(escape(text), "cyan"), 6)


def show_accepted(screen: Console, accepted: Sequence[Sequence[RowFacts]]) -> None:
    says = f"{len(accepted)} accepted, up to the ids of new rows" if len(accepted) != 1 else "up to the ids of new rows"
    heading(screen, "end state" if len(accepted) == 1 else "end states", says)
    for i, rows in enumerate(accepted, start=1):
        if len(accepted) > 1:
            screen.print(Text(f"  either this ({i})" if i == 1 else f"  or this ({i})", "dim"))
        for row in rows:
            screen.print(Text(f"  {row.mark} {escape(row.row)}", MARK_STYLES.get(row.mark, "")))
            print_folded(screen, [escape(d) for d in row.demanded], 6)
            if row.open:
                first, *rest = (escape(o) for o in row.open)
                print_folded(screen, [f"open, as long as goal and rules hold: {first}", *rest], 6, "dim")
        screen.print(Text("  and nothing else changes" if rows else "  nothing changes at all", "bold"))


def show_rules(screen: Console, rules: Sequence[RuleFacts]) -> None:
    if rules:
        heading(screen, "rules in play")
        marks = {"handbook": Text("handbook only", "magenta"), "tool": Text("tool refuses", "green")}
        grid(screen, ("", "", ""), [(Text(r.name, "bold"), marks[r.enforced], escape(r.says)) for r in rules])


def show_provenance(screen: Console, entries: Sequence[Mapping[str, Any]]) -> None:
    """Show where values come from, call by call; of calls that write, also what demands them."""
    if entries:
        heading(screen, "where values come from", "every call, in order")
        parts = ("call", "argument", "value", "from")
        grid(screen, parts, [tuple(_cut(escape(_say_part(p, k)), k) for k in parts) for p in entries])


def _say_part(entry: Mapping[str, Any], part: str) -> str:
    known = f" ({entry['known']})" if part == "from" and entry.get("known") else ""
    return f"{entry.get(part, '')}{known}"


def _cut(text: str, column: str) -> str:
    """The reason is what one looks for: texts and long names give way to it. `--json` has them in full."""
    return text if column == "from" or len(text) <= MAX_VALUE_CHARS else text[: MAX_VALUE_CHARS - 1] + "…"


def show_program(screen: Console, key: Key) -> None:
    if key.program:
        heading(screen, "program", f"keys/{key.task}.py")
        show_source(screen, key.program)


def show_battery(screen: Console, cells: Mapping[str, Counts]) -> None:
    total = sum(c.episodes for c in cells.values())
    wrong = sum(c.false_accepts + c.false_rejects for c in cells.values())
    heading(screen, "battery", f"{total:,} episodes, {wrong} judged wrongly; recompute with `worldwright assay`")
    show_cells(screen, cells)


def show_cells(screen: Console, cells: Mapping[str, Counts]) -> None:
    """Show the battery: each episode had to pass or had to fail; the last two columns count those that did otherwise."""
    heads = ("cell", "rightly passed", "rightly failed", "false accepts", "false rejects", "")
    order = [name for name, _ in CELLS if name in cells]
    rows = [
        (
            escape(name),
            _count(c.accepted),
            _count(c.rejected),
            _format_wrong(c.false_accepts),
            _format_wrong(c.false_rejects),
            "",
        )
        for name, c in ((n, cells[n]) for n in (*order, *(n for n in cells if n not in order)))
    ]
    grid(screen, heads, rows, right=set(heads[1:-1]))


def _count(number: int) -> Text:
    return Text(f"{number:,}", "" if number else "dim")


def _format_wrong(number: int) -> Text:
    return Text(f"{number:,}", "bold red" if number else "green")
