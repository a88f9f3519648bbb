"""Render the results of the studies as one page with plots.

    python -m studies.report docs/results

Reads what the studies wrote there (`learning/`, `warm_start/`, `untaught/`, `scaling/`, `evolving/`, `bfcl.json`; what is missing
is left out) and writes `index.html`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from studies.curriculum import ARMS
from worldwright.core.intervals import binomial_interval
from worldwright.core.whole_file import write_whole
from worldwright.rollout.report.charts import Curve, draw_bars, draw_curves
from worldwright.rollout.report.markup import Markup, join_markup, tag
from worldwright.rollout.report.page import render_document
from worldwright.rollout.report.sections import figure, groups_table
from worldwright.rollout.stats import Group, PassPoint, Rate

STAGES = {
    "untrained": "untrained",
    "sft": "after SFT",
    "grpo": "after SFT and GRPO",
    "warm_start": "small warm start and GRPO",
}


class LongRun(NamedTuple):
    """A run of GRPO that was evaluated in more held-out worlds, too."""

    title: str
    where: str
    stages: Mapping[str, str]
    """Labels by the name of the evaluation."""


LONG_RUNS = {
    "warm_start": LongRun(
        "GRPO after a small warm start",
        "families never trained on",
        {
            "sft": "SFT, 80 steps",
            "grpo-40": "and 40 steps of GRPO",
            "grpo": "and 72 steps of GRPO",
            "longer/sft": "SFT alone, 300 steps",
        },
    ),
    "untaught": LongRun(
        "GRPO in families that were not demonstrated",
        "families that nobody was taught or practised in",
        {
            "sft": "SFT in ten families",
            "grpo-40": "and 40 steps of GRPO",
            "grpo-80": "and 80 steps of GRPO",
            "all-taught": "SFT in all twenty",
        },
    ),
}
"""By folder."""
EVAL_SETS = {"held_out": "families never trained on", "fresh": "new worlds of trained families"}


def read_json(path: Path) -> Any:
    return json.loads(path.read_text()) if path.exists() else None


def make_group(name: str, passed: int, judged: int) -> Group:
    low, high = binomial_interval(passed, judged, 0.95)
    return Group(name, Rate(passed, judged, 0, judged, low, high))


def render_chart(title: str, groups: list[Group], name: str) -> Markup:
    """Render bars on an axis that ends a little above the highest of them."""
    highest = max(g.rate.high for g in groups)
    axis_end = next(end for end in (0.04, 0.08, 0.1, 0.2, 0.4, 0.8, 1.0) if highest <= end)
    return join_markup([tag("h3", title), figure(draw_bars(title, groups, name, axis_end), groups_table("", groups))])


def render_learning(folder: Path) -> Iterable[Markup]:
    found = {STAGES[name]: read_json(folder / f"{name}.json") for name in ("untrained", "sft", "grpo")}
    if not all(found.values()):
        return
    yield tag("h2", "SFT, then GRPO")
    for field, said in EVAL_SETS.items():
        groups = [make_group(stage, one[field]["passed"], one[field]["episodes"]) for stage, one in found.items()]
        yield render_chart(f"Solved at temperature 0: {said}", groups, f"learning-{field}")
    yield from render_practice(folder, "practice")


def render_practice(folder: Path, name: str) -> Iterable[Markup]:
    """Render the share of solved episodes, step by step of GRPO."""
    steps = [json.loads(line) for line in (folder / "steps.jsonl").read_text().splitlines()]
    how = read_json(folder / "run.json")["settings"]["grpo"]
    n = how["tasks_per_step"] * how["num_generations"]
    solved = [one["solved"] for one in steps if one["run"] == "grpo"]
    points = [
        PassPoint(k, p, *binomial_interval(round(p * n), n, 0.95), how["tasks_per_step"])
        for k, p in enumerate(solved, 1)
    ]
    if points:
        title = "Solved while practising"
        yield tag("h3", f"{title}: tasks in the learnable band, as they were drawn")
        yield tag("figure", draw_curves(title, [Curve("practice", points, 0)], name, axis="step of GRPO"))


def render_long_run(folder: Path) -> Iterable[Markup]:
    run = LONG_RUNS[folder.name]
    found = {said: read_json(folder / f"{name}.json") for name, said in run.stages.items()}
    if not all(found.values()):
        return
    yield tag("h2", run.title)
    counted = {said: [one[f] for f in one if f.endswith("held_out")] for said, one in found.items()}
    groups = [
        make_group(said, sum(o["passed"] for o in some), sum(o["episodes"] for o in some))
        for said, some in counted.items()
    ]
    yield render_chart(f"Solved at temperature 0: {run.where}", groups, folder.name)
    yield from render_practice(folder, f"{folder.name}-practice")


def render_scaling(folder: Path) -> Iterable[Markup]:
    found = {name: read_json(folder / f"{name.replace(' ', '_')}-0.json") for name in ARMS}
    if not any(found.values()):
        return
    yield tag("h2", "More families, more worlds")
    parts: Mapping[str, tuple[str, ...]] = {
        "As many worlds, of more families": tuple(list(ARMS)[:4]),
        "Four families, more worlds of each": ("4 families x 1", "4 families x 8", "4 families x 64"),
    }
    for at, (title, names) in enumerate(parts.items()):
        held = [(name, found[name]["held_out"]) for name in names if found[name]]
        yield render_chart(
            title, [make_group(name, one["passed"], one["episodes"]) for name, one in held], f"scaling-{at}"
        )


def render_evolving(folder: Path) -> Iterable[Markup]:
    found = {name: read_json(folder / f"{name}.json") for name in ("start", "untargeted", "gated", "targeted")}
    if not all(found.values()):
        return
    yield tag("h2", "A round of evolve, against as much of anything")
    for field, said in {
        "practice": "new worlds of the families that it was about",
        "held_out": EVAL_SETS["held_out"],
    }.items():
        groups = [make_group(name, one[field]["passed"], one[field]["episodes"]) for name, one in found.items()]
        yield render_chart(f"Solved at temperature 0: {said}", groups, f"evolving-{field}")


def render_transfer(path: Path) -> Iterable[Markup]:
    found = read_json(path)
    if found is None:
        return
    yield tag("h2", "Transfer: questions of the Berkeley Function Calling Leaderboard")
    for category in next(iter(found.values())):
        groups = [
            make_group(STAGES.get(n, n), one[category]["right"], one[category]["asked"]) for n, one in found.items()
        ]
        yield render_chart(category.replace("_", " "), groups, f"bfcl-{category}")


def main() -> None:
    folder = Path(sys.argv[1])
    lead = (
        "What training in worlds did to SmolLM2-135M-Instruct. Every task was played once; bars have exact 95 % intervals, which "
        "take tasks for independent. How it was done, and what it means: README.md beside this page."
    )
    body = [
        tag("p", lead, class_="lead"),
        *render_learning(folder / "learning"),
        *(part for name in LONG_RUNS for part in render_long_run(folder / name)),
        *render_scaling(folder / "scaling"),
        *render_evolving(folder / "evolving"),
        *render_transfer(folder / "bfcl.json"),
    ]
    write_whole(folder / "index.html", render_document("Results of the studies", body))
    print(folder / "index.html")


if __name__ == "__main__":
    main()
