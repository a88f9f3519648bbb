"""Tasks of a gym looked for in benchmark files, and what was found on the screen."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from worldwright.cli import exits
from worldwright.cli.extras import require_extra
from worldwright.cli.terminal.console import Screen, escape, heading, print_hanging
from worldwright.cli.terminal.messages import note, print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.views.gate import world_title
from worldwright.core.errors import UsageError
from worldwright.gate.contamination.check import compare, save_report
from worldwright.gate.contamination.embedding import Embed, Vector
from worldwright.gate.contamination.records import NAMES, RUN, Finding, Report, Thresholds
from worldwright.gate.contamination.sources import files_of
from worldwright.store.open import find_gym_packs, open_world

TEXTS_SHOWN = 30
"""Texts with matches shown on the screen; `--json` and the file have all matches."""
MB = 1_000_000


def run_contamination(
    gym: str,
    named: tuple[Path, ...],
    more: tuple[Path, ...],
    drop: bool,
    restore: bool,
    embed: Path | None,
    as_json: bool,
    **limits: Any,
) -> int:
    """Compare a gym with benchmark files. Exit code 1 where tasks are flagged and not dropped."""
    files = files_of([*named, *more])
    worlds = {variant: open_world(path) for variant, path in find_gym_packs(gym).items()}
    model = None if embed is None else _model(embed)
    total, met = sum(path.stat().st_size for path in files), 0
    with Progress(Screen(err=True), "MB", total // MB) as progress:

        def watch(size: int) -> None:
            nonlocal met
            for _ in range((met + size) // MB - met // MB):
                progress.step()
            met += size

        reports = compare(worlds, files, Thresholds(**limits), model, watch)
    kept = [save_report(report, drop, restore) for report in reports]
    if as_json:
        print_json({"worlds": [{**data, "file": str(path)} for path, data in kept]})
    else:
        _say(Screen(), reports, [path for path, _ in kept], drop)
    return exits.FAILED if any(report.flagged for report in reports) and not drop else exits.OK


def _model(folder: Path) -> Embed:
    """A model that lies on this machine. Nothing is fetched."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; --embed takes a local sentence-transformers model")
    with require_extra("embed"):
        library = importlib.import_module("sentence_transformers")
    try:
        model = library.SentenceTransformer(str(folder), local_files_only=True)
    except (OSError, ValueError, KeyError) as e:
        raise UsageError(f"{folder} holds no model that can be read: {e}") from None

    def embed(texts: Sequence[str]) -> Sequence[Vector]:
        return [vector.tolist() for vector in model.encode(list(texts), show_progress_bar=False)]

    return embed


def _say(screen: Screen, reports: Sequence[Report], paths: Sequence[Path], drop: bool) -> None:
    first = reports[0]
    for remark in first.remarks:
        note(f"note: {escape(str(remark))}")
    read = f"{sum(r.texts for r in first.read):,} texts, {sum(r.words for r in first.read):,} words"
    screen.print(Text(f"{len(first.read)} benchmark files, {read}", "bold"))
    for report, path in zip(reports, paths, strict=True):
        what = f"{len(report.flagged)} of {report.tasks} tasks flagged"
        heading(screen, world_title(report.domain, report.variant), what)
        short = f"{report.too_short:,} of fewer than eight words not compared"
        screen.print(Text(f"  {report.texts:,} texts of the gym compared, {short}", "dim"))
        places = _group_by_place(report.findings)
        for matches in places[:TEXTS_SHOWN]:
            _match(screen, matches)
        if len(places) > TEXTS_SHOWN:
            screen.print(
                Text(f"  and {len(places) - TEXTS_SHOWN} more texts with matches; the file has them all", "dim")
            )
        if report.flagged:
            done = "dropped from what gates keep" if drop else "flagged; add --drop to take them out of what gates keep"
            print_hanging(screen, Text(f"{done}: {', '.join(report.flagged)}", "yellow"), 2)
        else:
            screen.print(Text("  no task shares more than the thresholds allow", "green"))
        screen.print(Text(f"  {path}", "dim"), soft_wrap=True)


def _group_by_place(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Group the matches of each text, the one that tells most first: the longest run of words, where there is one."""
    out: dict[str, list[Finding]] = {}
    for found in sorted(findings, key=lambda one: (-one.score, one.measure)):
        out.setdefault(found.place, []).append(found)
    return [out[place] for place in dict.fromkeys(found.place for found in findings)]


def _score(found: Finding) -> str:
    return (
        f"{found.measure}, {found.score:.0f} words" if found.measure == RUN else f"{found.measure}, {found.score:.0%}"
    )


def _match(screen: Screen, matches: Sequence[Finding]) -> None:
    found = matches[0]
    scores = list({one.measure: _score(one) for one in reversed(matches)}.values())[::-1]
    whom = ", ".join(found.tasks) if found.tasks and found.place not in found.tasks else ""
    title = Text(f"  {escape(found.place)}", "bold")
    title.append(f"  {'; '.join(scores)}" + (f"; about {whom}" if whom else ""), "not bold")
    screen.print(title, soft_wrap=True)
    where = f"{found.file}:{found.line}" + (f" {found.at}" if found.at else "")
    print_hanging(screen, Text(f"ours    {escape(found.own)}"), 4)
    if found.kind != NAMES:
        print_hanging(screen, Text(f"theirs  {escape(found.theirs)}"), 4)
    print_hanging(screen, Text(escape(where), "dim"), 4)
