"""Anchors on the screen: a list, one in detail, and what came of a folder of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from worldwright.cli.terminal.console import escape, heading, print_hanging
from worldwright.cli.terminal.tables import grid, show_next

if TYPE_CHECKING:
    from worldwright.factory.anchor_bench import FileResult

ENTRIES_SHOWN = 12
"""Entries of a list that are shown unless all are asked for."""


def show_list(screen: Console, found: Sequence[Mapping[str, Any]]) -> None:
    if not found:
        screen.print("  no anchors; see `worldwright upload --help`")
        return
    rows = []
    for one in found:
        entities, operations = (sum(w[k] for w in one["worlds"]) for k in ("entities", "operations"))
        kinds = ", ".join(dict.fromkeys(i["kind"] for i in one["inputs"]))
        rows.append((Text(one["anchor"], "bold"), f"{len(one['worlds'])}", f"{entities}", f"{operations}", kinds))
    grid(
        screen, ("anchor", "worlds", "entities", "operations", "from"), rows, right=("worlds", "entities", "operations")
    )
    screen.print()
    screen.print(f"  worldwright anchor show {found[0]['anchor']}", style="dim", soft_wrap=True)


def show_anchor(screen: Console, lock: Mapping[str, Any], world: str | None, every: bool) -> None:
    most = 10**9 if every else ENTRIES_SHOWN
    screen.print(Text.assemble((escape(lock["title"]), "bold"), (f"  {lock['anchor']}  {lock['digest'][:12]}", "dim")))
    heading(screen, "inputs")
    grid(screen, ("", ""), [(i["kind"], _input(i)) for i in lock["inputs"]])
    worlds = [w for w in lock["worlds"] if world in (None, w["name"])]
    heading(screen, "worlds", str(len(worlds)))
    heads = ("world", "entities", "operations", "policies", "goals", "tools", "claims bound", "by")
    _grid(screen, heads, [_world(w) for w in worlds], most, heads[1:6])
    reasons = [r for r in lock["reasons"] if world in (None, r["world"])]
    heading(screen, "why", "what makes it a business, and what that rests on")
    _grid(screen, ("what", "why"), [(r["what"], _add_source(r["why"], r["source"])) for r in reasons], most)
    if lock["decisions"]:
        heading(screen, "decisions", str(len(lock["decisions"])))
        rows = [
            (d["about"], f"{d['chose']}" + (f", not {d['over']}" if d["over"] else ""), d["why"])
            for d in lock["decisions"]
        ]
        _grid(screen, ("about", "chose", "why"), rows, most)
    heading(screen, "claims", _by_about(lock["claims"]))
    _grid(
        screen,
        ("kind", "about", ""),
        [(c["kind"], c.get("about", ""), _add_source(c["says"], c["source"])) for c in lock["claims"]],
        most,
    )
    for kind, share in lock["coverage"].items():
        if share["total"]:
            heading(screen, kind, f"{share['used']:,} of {share['total']:,} used")
            unused = [(u["what"], _add_source(u["why"], u["source"])) for u in share["unused"] if "what" in u]
            _grid(screen, ("", ""), unused, most)
    skipped = [(s["what"], _add_source(s["why"], s["source"])) for s in lock["skipped"] if "what" in s]
    if skipped:
        heading(screen, "left out", str(len(skipped)))
        _grid(screen, ("", ""), skipped, most)
    notes = [n for n in lock["notes"] if n.get("level") in ("warning", "error")]
    if notes:
        heading(screen, "warnings", str(len(notes)))
        _grid(screen, ("", ""), [(n["source"], n["says"]) for n in notes], most)
    show_next(screen, *(f"generate --domain {w['name']}" for w in worlds[:3]), f"author {lock['anchor']}")


def _by_about(claims: Sequence[Mapping[str, Any]]) -> str:
    """How many claims there are, and of those how many are about what."""
    counts = Counter(c.get("about", "") or "unknown" for c in claims)
    told = ", ".join(f"{n:,} about {what}" for what, n in counts.most_common())
    return f"{len(claims):,}: {told}" if told else "0"


def _add_source(says: str, source: str) -> str:
    return f"{says}  [{source}]" if source else says


def _input(found: Mapping[str, Any]) -> str:
    if "says" in found:
        return escape(found["says"])
    files = found["files"]
    size = sum(f["bytes"] for f in files)
    names = ", ".join(f["name"] for f in files[:3]) + (" ..." if len(files) > 3 else "")
    return (
        f"{escape(names)}  {len(files):,} files, {size:,} bytes"
        if len(files) != 1
        else f"{escape(names)}  {size:,} bytes"
    )


def _world(w: Mapping[str, Any]) -> tuple[str, ...]:
    figures = (str(w[k]) for k in ("entities", "operations", "policies", "goals", "tools"))
    claims = w.get("claims") or {"bound": 0, "business": 0}
    return (w["name"], *figures, f"{claims['bound']} of {claims['business']}", w.get("by") or "draft")


def _grid(
    screen: Console, heads: Sequence[str], rows: Sequence[Sequence[str]], most: int, right: Sequence[str] = ()
) -> None:
    shown = [
        tuple(escape(c) if len(c) < 60 or k == len(row) - 1 else escape(c)[:57] + "..." for k, c in enumerate(row))
        for row in rows
    ]
    grid(screen, heads, shown[:most], right=right)
    if len(rows) > most:
        screen.print(Text(f"  and {len(rows) - most:,} more (--all)", "dim"))


def show_bench(screen: Console, rows: Sequence[FileResult], found: Mapping[str, Any]) -> None:
    heads = (
        "file",
        "lock s",
        "build s",
        "ops",
        "used",
        "worlds",
        "tools",
        "tasks",
        "edits",
        "tests",
        "valid",
        "errors",
        "claims",
        "grade",
        "",
    )
    cells = []
    for r in rows:
        mark = Text("✓", "green") if r.counts else Text(escape(r.problem) or "too few", "yellow" if r.locks else "red")
        cells.append(
            (
                r.name, f"{r.lock_seconds:.1f}", f"{r.build_seconds:.1f}", str(r.operations), str(r.used), str(r.worlds),
                str(r.tools), str(r.tasks), str(r.edits), f"{r.tests_passed}/{r.tests}", f"{r.valid}/{r.answers}",
                f"{r.reached}/{r.declared}", f"{r.bound}/{r.business}" if r.worlds else str(r.claims), r.grade, mark,
            )
        )  # fmt: skip
    grid(screen, heads, cells, right=heads[1:13])
    screen.print()
    lines = (
        f"{_share(found['locked'], found['files'])} of files lock; "
        f"{_share(found['worlds'], found['files'])} become a world with at least 5 tools and 10 calibrated tasks",
        f"{_share(found['tests_passed'], found['tests'])} of generated tests pass; "
        f"{_share(found['valid'], found['answers'])} of answers are valid, {found['unchecked']:,} more have no schema",
        f"{_share(found['reached'], found['statuses'])} of error statuses are reached by calls, "
        f"{found['by_fault']:,} more as faults; "
        f"{_share(found['edits'], found['tasks'])} of tasks are single edits",
        f"{_share(found['code_like'], found['texts'])} of text columns with a meaning look like codes; "
        f"{found['dangling']:,} columns refer to nothing, {found['wrong_order']:,} pairs of dates are in the wrong order",
        f"{_share(found['bound'], found['business'])} of claims about the business are bound; grades: "
        + (", ".join(f"{n} {word}" for word, n in found["grades"].items()) or "none"),
    )
    for line in lines:
        print_hanging(screen, Text(line), 2)


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({100 * part / whole:.1f} %)" if whole else "none"
