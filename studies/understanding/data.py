"""Situations with questions, as they stand in files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from worldwright.people.orders import ACTION
from worldwright.world.tasks import Fact

HERE = Path(__file__).resolve().parent
FITTED_ON = HERE / "questions.yaml"
JUDGED_BY = HERE.parents[1] / "benchmarks" / "people" / "questions.yaml"
MORE = JUDGED_BY.with_name("more_questions.yaml")
"""Other messages for the people of `JUDGED_BY`."""


ORDERS = JUDGED_BY.with_name("orders.yaml")
"""Orders and what is none, by a writer who saw neither the code nor other sentences."""


@dataclass(frozen=True, slots=True)
class Situation:
    domain: str
    facts: tuple[Fact, ...]
    questions: Mapping[str, tuple[str, ...]]
    near: tuple[str, ...]
    unrelated: tuple[str, ...]


def read_situations(path: Path) -> list[Situation]:
    found = yaml.safe_load(path.read_text("utf-8"))
    return [_situation(one) for one in (found["situations"] if isinstance(found, dict) else found)]


def read_more(situations: Sequence[Situation]) -> list[Situation]:
    """The situations with the messages of other writers in place of theirs."""
    more = {one["domain"]: one for one in yaml.safe_load(MORE.read_text("utf-8"))}
    return [
        replace(
            one,
            questions={name: tuple(map(str, texts)) for name, texts in more[one.domain]["questions"].items()},
            unrelated=tuple(map(str, more[one.domain]["unrelated"])),
            near=(),
        )
        for one in situations
    ]


def read_unrelated(path: Path) -> list[str]:
    return [str(one) for one in yaml.safe_load(path.read_text("utf-8"))["unrelated"]]


def _situation(one: Mapping[str, Any]) -> Situation:
    facts = tuple(
        Fact(name, fact["kind"], tuple(map(str, fact["called"])), str(fact["says"]), tuple(map(str, fact["asked"])))
        for name, fact in one["facts"].items()
    )
    questions = {name: tuple(map(str, texts)) for name, texts in one["questions"].items()}
    return Situation(
        one["domain"], facts, questions, tuple(map(str, one["near"])), tuple(map(str, one.get("unrelated", ())))
    )


@dataclass(frozen=True, slots=True)
class Ordered:
    """Something that somebody can do, and what is said to them."""

    deed: Fact
    orders: tuple[str, ...]
    no_orders: tuple[str, ...]


def read_orders() -> list[Ordered]:
    return [
        Ordered(
            Fact(name, ACTION, tuple(map(str, one["called"])), "", tuple(map(str, one["asked"]))),
            tuple(map(str, one["orders"])),
            tuple(map(str, one["no_orders"])),
        )
        for name, one in yaml.safe_load(ORDERS.read_text("utf-8")).items()
    ]
