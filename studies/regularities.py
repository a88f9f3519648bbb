"""Do form and wording give the outcome away? A guesser that reads only the request and the form of its answer.

    python -m studies.regularities [--domains hotel_booking,it_service_desk] [--seed 7] [--json]

Every task of the worlds has an outcome: done, partly or refused. A naive Bayes guesser learns from the words of the requests
(names, numbers and ids left out), from who asks and how, and from the parts of the answer's form, on all worlds but one, and is
tried on that one; so in turn, over all tasks and over those of each kind of request, which everybody sees: for one thing, for
several, or for whatever a search finds. If it is right more often than somebody who always says the commonest outcome, something
gives it away: the exit code is 1. The words that weigh most are printed. Worlds are built up to their tasks, without the battery.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldwright import catalogue
from worldwright.core.intervals import wilson_interval
from worldwright.core.memo import Memo
from worldwright.kinds.database.compile.draft import Draft
from worldwright.kinds.database.compile.pipeline import COMPILE_STAGES
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.world.tasks import Task

_WORD = re.compile(r"(?<![\w@.])[a-z']{2,}(?![\w@])")
"""A word in small letters: names and ids begin with a capital or hold a digit."""

SKIPPED = ("graph", "tests")
"""Stages that no task needs."""
DOUBT = 10
"""So many examples of an outcome are taken as having a mark as often as all have it."""
MIN_SEEN = 10
"""Tasks that have a mark before it is called telling."""


@dataclass(frozen=True, slots=True)
class Example:
    """A task as the guesser sees it, and its outcome."""

    world: str
    kind: str
    marks: frozenset[str]
    outcome: str


def read_marks(task: Task) -> frozenset[str]:
    """Read what form and wording show of a task."""
    words = {f"word {word}" for word in _WORD.findall(task.instruction)}
    parts = {f"part {name}" for name in task.answer_schema.get("properties", {})}
    return frozenset({*words, *parts, f"form {task.form}", f"role {task.role}", f"parts {len(parts)}"})


def list_examples(domain: str, seed: int) -> Iterator[Example]:
    """Build a world of the catalogue up to its tasks, and list them."""
    draft = Draft(compile_blueprint(catalogue.text(domain)), seed, Memo())
    for stage in COMPILE_STAGES:
        draft = draft if stage.name in SKIPPED else stage.run(draft)
    assert draft.made is not None
    for task, key in draft.made.tasks:
        yield Example(domain, name_kind(task), read_marks(task), str(key.expects.get("outcome", "done")))


class Guesser:
    """Naive Bayes over the marks of tasks, each there or not."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self.outcomes = Counter(e.outcome for e in examples)
        self.marks = {o: Counter(m for e in examples if e.outcome == o for m in e.marks) for o in self.outcomes}
        self.every = Counter(m for e in examples for m in e.marks)
        self.number = len(examples)

    def weigh(self, mark: str, outcome: str) -> float:
        """Weigh how much a mark speaks for an outcome."""
        usual = self.every[mark] / self.number
        return math.log((self.marks[outcome][mark] + DOUBT * usual) / (self.outcomes[outcome] + DOUBT))

    def guess(self, marks: frozenset[str]) -> str:
        known = sorted(m for m in marks if m in self.every)
        scores = {o: math.log(n) + sum(self.weigh(m, o) for m in known) for o, n in self.outcomes.items()}
        return max(sorted(scores), key=lambda outcome: scores[outcome])


def find_telling(guesser: Guesser, number: int = 12) -> list[tuple[str, str, float]]:
    """Find the marks that speak most for one outcome against all others: (mark, outcome, weight)."""
    found = []
    for mark in sorted(m for m, n in guesser.every.items() if n >= MIN_SEEN):
        weights = sorted(((guesser.weigh(mark, o), o) for o in guesser.outcomes), reverse=True)
        if len(weights) < 2:
            break
        found.append((mark, weights[0][1], weights[0][0] - weights[1][0]))
    return sorted(found, key=lambda f: -f[2])[:number]


def sort_by_kind(examples: Sequence[Example]) -> dict[str, list[Example]]:
    """Sort tasks by the kind of request."""
    out: dict[str, list[Example]] = {"all": list(examples)}
    for example in examples:
        out.setdefault(example.kind, []).append(example)
    return out


def name_kind(task: Task) -> str:
    """Name the kind of a request: for one thing its answer has a record, over many records it is a program."""
    if task.family == "program":
        return "whatever a search finds"
    return "one thing" if "record" in task.answer_schema.get("properties", {}) else "several things"


def measure(examples: Sequence[Example]) -> dict[str, object]:
    """Measure how often the guesser is right on worlds that it has not seen, and how often the commonest outcome is."""
    right = common = 0
    for world in dict.fromkeys(e.world for e in examples):
        guesser = Guesser([e for e in examples if e.world != world])
        own = [e for e in examples if e.world == world]
        right += sum(guesser.guess(e.marks) == e.outcome for e in own)
        common += sum(guesser.outcomes.most_common(1)[0][0] == e.outcome for e in own)
    low, high = wilson_interval(right, len(examples))
    return {
        "tasks": len(examples),
        "outcomes": dict(sorted(Counter(e.outcome for e in examples).items())),
        "right": round(right / len(examples), 3),
        "interval": [round(low, 3), round(high, 3)],
        "base_rate": round(common / len(examples), 3),
        "gives_away": low > common / len(examples),
        "telling": [(m, o, round(w, 2)) for m, o, w in find_telling(Guesser(examples))],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domains", default=",".join(catalogue.names()), help="at least two, parted by commas")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(arguments)
    examples: list[Example] = []
    for domain in asked.domains.split(","):
        examples += list_examples(domain, asked.seed)
        print(f"{domain}: {len(examples)} tasks so far", file=sys.stderr)
    found = {kind: measure(own) for kind, own in sort_by_kind(examples).items()}
    if asked.json:
        print(json.dumps(found, indent=2))
    else:
        for kind, one in found.items():
            print(f"{kind}: {one['tasks']} tasks: {one['outcomes']}")
            print(f"  right: {one['right']} ({one['interval']}), the commonest outcome: {one['base_rate']}")
            for mark, outcome, weight in one["telling"]:  # type: ignore[attr-defined]
                print(f"    {mark:30} speaks for {outcome} ({weight})")
    return int(any(one["gives_away"] for one in found.values()))


if __name__ == "__main__":
    sys.exit(main())
