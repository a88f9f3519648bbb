"""Do values fit what their columns say? Every file of a folder drafted without a model, and the rows of all its worlds looked at.

    python -m studies.values FOLDER [--only openapi/ --only sql/] [--seed 7] [--all] [--json]

Each file becomes an anchor of its own; every world of it is built up to its opening state, without tasks. What is looked at, and
how, is in `worldwright.assay.values`. The exit code is 1 where more than 5% of the columns of text that ask for something else hold
codes, where a reference dangles, or where a row was changed before it was made.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from worldwright.anchor.intake.dispatch import Input
from worldwright.anchor.intake.uploads import read_uploads
from worldwright.anchor.lock.build import AnchorOptions, build_anchor
from worldwright.assay.values import ValueReport, check_values, read_rows
from worldwright.blueprint.load import load_text
from worldwright.core.errors import WorldwrightError
from worldwright.factory.anchor_bench import files_in
from worldwright.kinds.database.compile.state.build import grow_state
from worldwright.kinds.database.compiled_world import CompiledWorld

CODES = ("code_like", "contradicts", "constant", "wrong_order", "dangling", "name_disagrees")
MOST_CODE_LIKE = 0.05


@dataclass(frozen=True, slots=True)
class FileValues:
    """What was seen of one file."""

    name: str
    worlds: int
    failed: tuple[str, ...]
    """Worlds that could not be built, and why."""
    reports: tuple[ValueReport, ...]

    def count(self, code: str) -> int:
        return sum(r.count(code) for r in self.reports)


def look_at_file(file: Path, name: str, seed: int) -> FileValues:
    """Draft the worlds of one file and look at their rows."""
    try:
        anchor = build_anchor([Input("any", str(file), tuple(read_uploads(file)))], AnchorOptions())
    except WorldwrightError as e:
        return FileValues(name, 0, (f"lock: {e}",), ())
    reports: list[ValueReport] = []
    failed: list[str] = []
    for domain in anchor.domains:
        try:
            compiled = CompiledWorld(load_text(domain.blueprint, domain.name))
            rows = read_rows(compiled, grow_state(compiled, seed).data)
        except WorldwrightError as e:
            failed.append(f"{domain.name}: {str(e)[:300]}")
            continue
        reports.append(check_values(compiled.blueprint.schema, rows))
    return FileValues(name, len(anchor.domains), tuple(failed), tuple(reports))


def look_at_folder(folder: Path, only: Sequence[str], seed: int) -> Iterator[FileValues]:
    for file in files_in(folder):
        name = str(file.relative_to(folder)) if file != folder else file.name
        if not only or any(text in name for text in only):
            yield look_at_file(file, name, seed)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m studies.values", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append", default=[], help="only files with this in their name")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--all", action="store_true", help="print every finding")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(arguments)
    seen = []
    for one in look_at_folder(asked.folder, asked.only, asked.seed):
        seen.append(one)
        if not asked.json:
            figures = "  ".join(f"{code} {one.count(code)}" for code in CODES)
            texts, telling = sum(r.texts for r in one.reports), sum(r.telling for r in one.reports)
            print(f"{one.name}: {one.worlds} worlds, {texts} texts ({telling} telling)  {figures}", flush=True)
            for problem in one.failed:
                print(f"    failed: {problem}")
            for finding in (f for r in one.reports for f in r.findings) if asked.all else ():
                print(f"    {finding.code:15} {finding.place}: {finding.says} ({finding.share:.0%})")
    if asked.json:
        print(json.dumps([asdict(one) for one in seen]))
    return _sum_up(seen, sys.stderr if asked.json else sys.stdout)


def _sum_up(seen: Sequence[FileValues], out: object) -> int:
    reports = [r for one in seen for r in one.reports]
    totals = Counter(f.code for r in reports for f in r.findings)
    telling, texts = sum(r.telling for r in reports), sum(r.texts for r in reports)
    share = totals["code_like"] / telling if telling else 0.0
    print(f"\n{len(seen)} files, {len(reports)} worlds, {sum(r.columns for r in reports)} columns", file=out)  # type: ignore[call-overload]
    lines = (
        f"code_like       {totals['code_like']} of {telling} texts that ask for something else ({share:.1%}); {texts} texts in all",
        f"contradicts     {totals['contradicts']}",
        f"constant        {totals['constant']}",
        f"wrong_order     {totals['wrong_order']} of {sum(r.date_pairs for r in reports)} pairs of dates",
        f"dangling        {totals['dangling']} of {sum(r.references for r in reports)} references",
        f"name_disagrees  {totals['name_disagrees']}",
    )
    print("\n".join(lines), file=out)  # type: ignore[call-overload]
    failed = sum(len(one.failed) for one in seen)
    return int(bool(share > MOST_CODE_LIKE or totals["wrong_order"] or totals["dangling"] or failed))


if __name__ == "__main__":
    sys.exit(main())
