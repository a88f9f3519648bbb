"""The cases of a policy whose figures have changed: each is moved with the figure, and held against the rule.

A case is written apart from the rule, so it is never made from it: a value in it moves as far as the figure did. A case that no
such move brings back stays as it was, under a variant that keeps the catalogue's figures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from worldwright.anchor.base.figures import Figure, plain
from worldwright.blueprint.load import load_text
from worldwright.blueprint.yaml_source import dump_yaml
from worldwright.core.errors import BlueprintError

Case = dict[str, Any]
Data = dict[str, Any]
Values = Mapping[str, Mapping[str, Figure]]
"""Parameters of a policy: by name and variant."""

CATALOGUE = "catalogue"
"""The variant that keeps the catalogue's own figures."""
KINDS = ("allowed", "forbidden", "applies", "not")
MOST_TRIES = 400
_LEFT_OUT = ("operations", "goals", "history", "mess", "personas", "always", "use")
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(T.*)?\Z", re.DOTALL)


def mended(data: Data, policy: str, spec: Data, before: Values) -> Data | None:
    """The policy with cases that hold for its new parameters; None where no change to them makes it so."""
    cases = [dict(c) for c in spec.get("cases", ())]
    wrong = broken(data, policy, spec, cases)
    if not wrong:
        return spec if wrong is not None else None
    moves = [_moves_of(case, before, spec["parameters"]) for case in cases]
    tries = [t for t in _together(cases, moves) if any(t[i] != cases[i] for i in wrong)]
    good = _first_good(data, policy, spec, tries)
    if good is not None:
        return {**spec, "cases": good}
    return _one_by_one(data, policy, spec, before, cases, moves, sorted(wrong))


def broken(data: Data, policy: str, spec: Data, cases: Sequence[Case]) -> set[int] | None:
    """Which of the cases the rule does not bear out; None where something else is wrong with it."""
    slim = {k: v for k, v in data.items() if k not in _LEFT_OUT}
    slim |= {"operations": {}, "policies": {**data["policies"], policy: {**spec, "cases": list(cases)}}}
    try:
        load_text(dump_yaml(slim))
    except BlueprintError as e:
        places = [re.match(rf"policies\.{re.escape(policy)}\.cases\[(\d+)\]", f.path) for f in e.findings]
        return None if None in places else {int(p[1]) for p in places if p is not None}
    return set()


def _first_good(data: Data, policy: str, spec: Data, tries: Sequence[list[Case]]) -> list[Case] | None:
    """Of several lists of cases, the first of which every one holds. All are held against the rule at once."""
    every = {repr(case): case for cases in tries for case in cases}
    if len(every) > MOST_TRIES:
        every = dict(list(every.items())[:MOST_TRIES])
    wrong = broken(data, policy, spec, list(every.values())) if every else None
    if wrong is None:
        return None
    holds = {key for i, key in enumerate(every) if i not in wrong}
    return next((cases for cases in tries if all(repr(case) in holds for case in cases)), None)


def _one_by_one(
    data: Data, policy: str, spec: Data, before: Values, cases: list[Case], moves: Sequence[Sequence[Move]], wrong: list[int]
) -> Data | None:  # fmt: skip
    """Each case that does not hold, with one value in it moved."""
    out = list(cases)
    stuck: list[int] = []
    for i in wrong:
        tries = [[moved] for move in moves[i] for moved in _each_value(cases[i], move)]
        good = _first_good(data, policy, spec, tries)
        if good is None:
            stuck.append(i)
        else:
            out[i] = good[0]
    if not stuck:
        return {**spec, "cases": out}
    if any(cases[i].get("variant", "default") != "default" for i in stuck):
        return None
    kept = {p: {**v, CATALOGUE: before[p]["default"]} for p, v in spec["parameters"].items()}
    for i in stuck:
        out[i] = {**cases[i], "variant": CATALOGUE}
    found = {**spec, "parameters": kept, "cases": out}
    return found if broken(data, policy, found, out) == set() and _has_each_kind(out) else None


def _has_each_kind(cases: Sequence[Case]) -> bool:
    """Whether something is still allowed and something forbidden at the new figure."""
    own = {kind for case in cases if case.get("variant", "default") == "default" for kind in KINDS if kind in case}
    return own >= {"allowed", "forbidden"} or own >= {"applies", "not"}


# moving values

Move = Callable[[Any], Any]
"""A value as it is where the figure has changed; None for a value that does not move with it."""


def _moves_of(case: Case, before: Values, after: Values) -> list[Move]:
    """How values of a case may move: as its variant's figures did."""
    variant = str(case.get("variant", "default"))
    out: list[Move] = []
    for name, values in before.items():
        old = Decimal(str(values.get(variant, values["default"])))
        new = Decimal(str(after[name].get(variant, after[name]["default"])))
        if old != new:
            out += [_number(lambda v, old=old, new=new: v + new - old)]  # type: ignore[misc]
            out += [_number(lambda v, old=old, new=new: v * new / old)] if old else []  # type: ignore[misc]
            out += [_number(lambda v, old=old, new=new: v * (1 + new) / (1 + old))]  # type: ignore[misc]
            days = int(new - old) if new == new.to_integral_value() and old == old.to_integral_value() else 0
            out += [_day(-days), _day(days)] if days else []
    return out


def _number(change: Callable[[Decimal], Decimal]) -> Move:
    """A number moved; what it lies beside a round one stays: 4,999.99 is a cent below 5,000, and below 3,000 then."""

    def move(value: Any) -> Any:
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            return None
        exact = Decimal(str(value))
        whole = exact.to_integral_value(ROUND_HALF_UP)
        moved = round(change(whole), 2) + (exact - whole)
        return plain(moved) if abs(moved) < 10**12 else None

    return move


def _day(days: int) -> Move:
    def move(value: Any) -> Any:
        found = _DATE.match(value) if isinstance(value, str) else None
        if found is None:
            return None
        try:
            return (date.fromisoformat(found[1]) + timedelta(days=days)).isoformat() + (found[2] or "")
        except (ValueError, OverflowError):
            return None

    return move


def _together(cases: Sequence[Case], moves: Sequence[Sequence[Move]]) -> Iterator[list[Case]]:
    """All cases with the same value moved the same way in each."""
    paths = dict.fromkeys(path for case in cases for path in _said(case))
    for k in range(max(map(len, moves), default=0)):
        for path in paths:
            out = [_with(case, path, own[k]) if k < len(own) else case for case, own in zip(cases, moves, strict=True)]
            if out != list(cases):
                yield out


def _said(case: Case) -> dict[str, Any]:
    kind = next((k for k in KINDS if isinstance(case.get(k), dict)), "")
    return dict(case[kind]) if kind else {}


def _with(case: Case, path: str, move: Move) -> Case:
    kind = next((k for k in KINDS if isinstance(case.get(k), dict)), "")
    moved = move(case[kind][path]) if kind and path in case[kind] else None
    return case if moved is None else {**case, kind: {**case[kind], path: moved}}


def _each_value(case: Case, move: Move) -> Iterator[Case]:
    """The case with one value moved, for each value in it, however deep."""
    kind = next((k for k in KINDS if isinstance(case.get(k), dict)), "")
    if kind:
        yield from ({**case, kind: said} for said in _each_inside(case[kind], move))


def _each_inside(node: Any, move: Move) -> Iterator[Any]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield from ({**node, key: inner} for inner in _each_inside(value, move))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from ([*node[:i], inner, *node[i + 1 :]] for inner in _each_inside(value, move))
    else:
        moved = move(node)
        if moved is not None and moved != node:
            yield moved
