"""What variants are worth, measured over the catalogue.

For every domain, sets of policies far apart are put on one state, and tasks are made under each. Of the requests that two of them
share, word for word, it is counted how many have another right outcome. Then what a plan of fifty covers, and how many of the fifty
are policy-distinct. Run: python -m benchmarks.variants [--domains A,B] [--rules N] [--seed N] [--battery] [--jobs N]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from worldwright import catalogue
from worldwright.core.memo import Memo
from worldwright.kinds.database.builder import PROOF_STAGE, start_draft
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.pipeline import COMPILE_STAGES, run_stages
from worldwright.kinds.database.compile.stages.tasks import make_task_files
from worldwright.kinds.database.compile.tasks.knobs import knobs
from worldwright.variants.apply import apply, choose_task_options
from worldwright.variants.counts import count_variants, measure_coverage
from worldwright.variants.factors import find_space
from worldwright.variants.likeness import Likeness, fingerprint_pack, measure_likeness
from worldwright.variants.sample import plan_variants

QUARTER = 0.25
FIFTY = 50


@dataclass(frozen=True, slots=True)
class Row:
    """One domain."""

    name: str
    tasks: tuple[int, ...]
    refused: tuple[float, ...]
    """By set of policies, the share of its tasks whose right answer is to refuse."""
    siblings: tuple[Likeness, ...]
    """Pairs that a plan puts on one state."""
    others: tuple[Likeness, ...]
    """All other pairs of those sets."""
    policy_distinct: int
    covered: float
    seconds: float


def measured(name: str, rules: int, seed: int, battery: bool) -> Row:
    begin = time.process_time()
    checked = catalogue.load(name)
    planned = plan_variants(checked, rules, ["policy"], seed)
    made, tasks, refused = [], [], []
    memo = Memo()
    for variant in planned:
        complexity, settings = choose_task_options(variant)
        draft = start_draft(apply(checked, variant), seed, memo, knobs=knobs(complexity, settings))
        for _, fuller in run_stages((stage for stage in COMPILE_STAGES if stage.name != "tests"), draft):
            draft = fuller
        draft = PROOF_STAGE.run(draft) if battery else _unproven(draft)
        made.append(fingerprint_pack(dict(draft.files)))
        answers = [key.answer for _, key in draft.made.tasks] if draft.made else []
        tasks.append(len(made[-1].gold))
        refused.append(sum(a is not None and a.get("outcome") == "refused" for a in answers) / max(1, len(answers)))
    pairs = {(a, b): measure_likeness(made[a], made[b]) for a, b in combinations(range(len(made)), 2)}
    fifty = plan_variants(checked, FIFTY, seed=seed)
    return Row(
        name,
        tuple(tasks),
        tuple(refused),
        tuple(found for (a, b), found in pairs.items() if a % 2 == 0 and b == a + 1),
        tuple(found for (a, b), found in pairs.items() if not (a % 2 == 0 and b == a + 1)),
        count_variants(fifty).policy_distinct,
        measure_coverage(find_space(checked), fifty).share,
        time.process_time() - begin,
    )


def _unproven(draft: Draft) -> Draft:
    """The tasks as they were made, without the battery that would drop a few of them."""
    assert draft.made is not None
    return draft.add("tasks", "", make_task_files(draft.compiled, draft.made.tasks))


def share(found: Likeness) -> float:
    return found.differing / found.shared if found.shared else 0.0


def _shares(found: Sequence[Likeness]) -> str:
    shares = sorted(map(share, found))
    return f"{shares[0]:.0%} {median(shares):.0%}" if shares else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--domains", default="", help="names with commas between; all if left out")
    parser.add_argument("--rules", type=int, default=4, help="sets of policies for each domain")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--battery", action="store_true", help="put every task through the battery, as a build does")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    names = [name for name in given.domains.split(",") if name] or list(catalogue.names())
    rows: list[Row] = []
    print(
        "| domain | tasks | refused | shared by siblings | differ in gold | least, median of siblings | of all other pairs | "
        "policy-distinct of 50 | pairs covered by 50 | seconds |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with ProcessPoolExecutor(given.jobs) as pool:
        running = [pool.submit(measured, name, given.rules, given.seed, given.battery) for name in names]
        for future in running:
            row = future.result()
            rows.append(row)
            print(f"| {' | '.join(_cells(row))} |", flush=True)
    siblings = [p for row in rows for p in row.siblings]
    others = [p for row in rows for p in row.others]
    print()
    for what, pairs in (("siblings", siblings), ("all other pairs", others)):
        if pairs:
            print(f"{what}: {_summary(pairs)}")


def _cells(row: Row) -> list[str]:
    return [
        row.name,
        f"{min(row.tasks)} to {max(row.tasks)}",
        f"{min(row.refused):.0%} to {max(row.refused):.0%}",
        str(sum(p.shared for p in row.siblings)),
        str(sum(p.differing for p in row.siblings)),
        _shares(row.siblings),
        _shares(row.others),
        str(row.policy_distinct),
        f"{row.covered:.0%}",
        f"{row.seconds:.0f}",
    ]


def _summary(pairs: Sequence[Likeness]) -> str:
    shared, differing = sum(p.shared for p in pairs), sum(p.differing for p in pairs)
    shares = sorted(map(share, pairs))
    return (
        f"{len(pairs)} pairs, {shared} shared requests, {differing} differ in gold ({differing / max(1, shared):.0%}); least "
        f"{shares[0]:.0%}, median {median(shares):.0%}; {sum(s < QUARTER for s in shares)} pairs under a quarter"
    )


if __name__ == "__main__":
    main()
