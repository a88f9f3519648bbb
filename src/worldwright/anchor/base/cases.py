"""The cases of a policy whose figures have changed: each is moved with the figure, and held against the rule.

A case is written apart from the rule, so it is never made from it: a value in it moves as far as the figure did. A case that no
such move brings back stays as it was, under a variant that keeps the catalogue's figures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Any

from worldwright.anchor.base.figures import plain
from worldwright.blueprint.check import check
from worldwright.blueprint.load import validate_document
from worldwright.blueprint.source import Document
from worldwright.core.errors import BlueprintError

Case = dict[str, Any]
Data = dict[str, Any]
Values = Mapping[str, Mapping[str, Any]]
"""Parameters of a policy: by name and variant. Figures, but for a day that is written as a text."""
Move = Callable[[Any], Any]
"""A value as it is where the figure has changed; None for a value that does not move with it."""

CATALOGUE = "catalogue"
"""The variant that keeps the catalogue's own figures."""
KINDS = ("allowed", "forbidden", "applies", "not")
MAX_ATTEMPTS = 400
MAX_ROWS = 20
_LEFT_OUT = ("operations", "goals", "history", "mess", "personas", "always", "use")
_CASE = re.compile(r"policies\.(\w+)\.cases\[(\d+)\]")
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(T.*)?\Z", re.DOTALL)


def mended(data: Data, policy: str, spec: Data, before: Values) -> dict[str, Data] | None:
    """The policy with cases that hold for its new parameters, and others whose cases rest on it; None where that cannot be had.

    The cases follow one change after the other: first that of the rule, where a limit has changed sides, then each figure's.
    """
    old = data["policies"][policy]
    turned = any(spec.get(k) != old.get(k) for k in ("rule", "when"))
    changed = [p for p in before if spec["parameters"][p] != before[p]]
    now = dict(before)
    out = spec
    for parameter in (*([""] if turned else []), *changed):
        past = dict(now)
        now |= {parameter: spec["parameters"][parameter]} if parameter else {}
        step = {**out, "parameters": {**out.get("parameters", {}), **now}} if now else out
        found = _mended(data, policy, step, past, [] if parameter else NUDGES)
        if found is None:
            return None
        out = found
    others = _others(data, policy, out, before) if turned or changed else {}
    return None if others is None else {policy: out, **others}


def _others(data: Data, policy: str, spec: Data, before: Values) -> dict[str, Data] | None:
    """Policies with cases that an exemption decides, where the exemption has changed."""
    now = {**data, "policies": {**data["policies"], policy: spec}}
    wrong = all_broken(now)
    out: dict[str, Data] = {}
    for other in sorted({name for name, _ in wrong or ()} - {policy}):
        theirs = data["policies"][other]
        cases = list(theirs["cases"])
        moves = _moves_of({}, before, spec.get("parameters") or {})
        for i in sorted(i for name, i in wrong or () if name == other):
            good = _first_good(now, other, theirs, [[c] for move in moves for c in _each_value(cases[i], move)])
            if good is None:
                return None
            cases[i] = good[0]
        out[other] = {**theirs, "cases": cases}
    return None if wrong is None else out


def _mended(data: Data, policy: str, spec: Data, before: Values, nudges: Sequence[Move]) -> Data | None:
    cases = [dict(c) for c in spec.get("cases", ())]
    wrong = broken(data, policy, spec, cases)
    if not wrong:
        return spec if wrong is not None else None
    moves = [[*_moves_of(case, before, spec.get("parameters") or {}), *nudges] for case in cases]
    tries = [t for t in _together(cases, moves) if any(t[i] != cases[i] for i in wrong)]
    good = _first_good(data, policy, spec, tries)
    if good is not None:
        return {**spec, "cases": good}
    return _one_by_one(data, policy, spec, before, cases, moves, sorted(wrong))


def broken(data: Data, policy: str, spec: Data, cases: Sequence[Case]) -> set[int] | None:
    """Which of the cases the rule does not bear out; None where something else is wrong with it."""
    policies = {**data["policies"], policy: {**spec, "cases": list(cases)}}
    found = all_broken({**data, "policies": policies})
    return None if found is None else {i for name, i in found if name == policy}


def all_broken(data: Data) -> set[tuple[str, int]] | None:
    """Policies and the numbers of their cases that do not hold; None where something else is wrong with the Blueprint."""
    slim = {**{k: v for k, v in data.items() if k not in _LEFT_OUT}, "operations": {}}
    try:
        document = Document("blueprint.yaml", slim, {})
        check(validate_document(document), document, "")
    except BlueprintError as e:
        places = [_CASE.match(f.path) for f in e.findings]
        return None if None in places else {(p[1], int(p[2])) for p in places if p is not None}
    return set()


def _first_good(data: Data, policy: str, spec: Data, tries: Sequence[list[Case]]) -> list[Case] | None:
    """Of several lists of cases, the first of which every one holds. All are held against the rule at once."""
    every = {repr(case): case for cases in tries for case in cases}
    every = dict(list(every.items())[:MAX_ATTEMPTS])
    wrong = broken(data, policy, spec, [*every.values(), *spec["cases"]]) if every else None
    if wrong is None:
        return None
    holds = {key for i, key in enumerate(every) if i not in wrong}
    return next((cases for cases in tries if all(repr(case) in holds for case in cases)), None)


def _one_by_one(
    data: Data, policy: str, spec: Data, before: Values, cases: list[Case], moves: Sequence[Sequence[Move]], wrong: list[int]
) -> Data | None:  # fmt: skip
    """Each case that does not hold, with one value in it moved, or two."""
    out = list(cases)
    stuck: list[int] = []
    for i in wrong:
        one = [[moved] for move in moves[i] for moved in _each_value(cases[i], move)]
        two = [
            [moved] for move in moves[i] for once in _each_value(cases[i], move) for moved in _each_value(once, move)
        ]
        good = _first_good(data, policy, spec, one) or _first_good(data, policy, spec, two)
        if good is None:
            stuck.append(i)
        else:
            out[i] = good[0]
    if not stuck:
        return {**spec, "cases": out}
    if any(cases[i].get("variant", "default") != "default" for i in stuck):
        return None
    kept = {p: {CATALOGUE: before[p]["default"], **v} for p, v in spec["parameters"].items()}
    for i in stuck:
        out[i] = {**cases[i], "variant": CATALOGUE}
    found = {**spec, "parameters": kept, "cases": out}
    return found if broken(data, policy, found, out) == set() and _has_each_kind(out) else None


def _has_each_kind(cases: Sequence[Case]) -> bool:
    """Whether something is still allowed and something forbidden at the new figure."""
    own = {kind for case in cases if case.get("variant", "default") == "default" for kind in KINDS if kind in case}
    return own >= {"allowed", "forbidden"} or own >= {"applies", "not"}


# moving values


def _moves_of(case: Case, before: Values, after: Values) -> list[Move]:
    """How values of a case may move: as its variant's figures did."""
    variant = str(case.get("variant", "default"))
    out: list[Move] = []
    for name, values in before.items():
        was, is_ = values.get(variant, values["default"]), after[name].get(variant, after[name]["default"])
        if was == is_ or isinstance(was, str) or isinstance(is_, str):
            continue
        old, new = Decimal(str(was)), Decimal(str(is_))
        days = int(new - old) if new == new.to_integral_value() and old == old.to_integral_value() else 0
        out += [_number(change, up) for up in (False, True) for change in _changes(old, new)]
        out += [_day(-days), _day(days), _rows(days)] if days else []
    return out


def _changes(old: Decimal, new: Decimal) -> list[Callable[[Decimal], Decimal]]:
    """As far as the figure, in proportion to it, and in proportion to a whole that it is a share of."""
    in_proportion: list[Callable[[Decimal], Decimal]] = [lambda v: v * new / old] if old else []
    return [lambda v: v + new - old, *in_proportion, lambda v: v * (1 + new) / (1 + old)]


def _number(change: Callable[[Decimal], Decimal], up: bool) -> Move:
    """A number moved; what it lies beside a round one stays: 4,999.99 is a cent below 5,000, and below 3,000 then.

    A whole number stays whole, rounded down or `up`.
    """

    def move(value: Any) -> Any:
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            return None
        exact = Decimal(str(value))
        whole = exact.to_integral_value(ROUND_HALF_UP)
        moved = round(change(whole), 2)
        if isinstance(value, int):
            moved = moved.to_integral_value(ROUND_CEILING if up else ROUND_FLOOR)
        moved += exact - whole
        return plain(moved) if abs(moved) < 10**12 else None

    return move


def _cents(by: int) -> Move:
    def move(value: Any) -> Any:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return plain(Decimal(str(value)) + Decimal(by) / 100) if number else None

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


def _rows(more: int) -> Move:
    """A list of rows with so many more like its last one, or so many fewer."""

    def move(value: Any) -> Any:
        if not isinstance(value, list) or not value or abs(more) > MAX_ROWS:
            return None
        last = {k: v for k, v in value[-1].items() if k != "id"} if isinstance(value[-1], dict) else value[-1]
        return [*value, *[last] * more] if more > 0 else value[:more]

    return move


NUDGES: Sequence[Move] = (
    *(_cents(by) for by in (1, -1)),
    *(_cents(by) for by in (100, -100)),
    *(_day(by) for by in (1, -1)),
)
"""To the other side of a limit that now belongs to the other side itself."""


def _together(cases: Sequence[Case], moves: Sequence[Sequence[Move]]) -> Iterator[list[Case]]:
    """All cases with the same value moved the same way in each."""
    paths = dict.fromkeys(path for case in cases for path in _said(case))
    for k in range(max(map(len, moves), default=0)):
        for path in paths:
            out = [_with(case, path, own[k]) if k < len(own) else case for case, own in zip(cases, moves, strict=True)]
            if out != list(cases):
                yield out


def _kind(case: Case) -> str:
    return next((k for k in KINDS if isinstance(case.get(k), dict)), "")


def _said(case: Case) -> dict[str, Any]:
    return dict(case[_kind(case)]) if _kind(case) else {}


def _with(case: Case, path: str, move: Move) -> Case:
    kind = _kind(case)
    moved = move(case[kind][path]) if kind and path in case[kind] else None
    return case if moved is None else {**case, kind: {**case[kind], path: moved}}


def _each_value(case: Case, move: Move) -> Iterator[Case]:
    """The case with one value moved, for each value in it, however deep."""
    kind = _kind(case)
    if kind:
        yield from ({**case, kind: said} for said in _each_inside(case[kind], move))


def _each_inside(node: Any, move: Move) -> Iterator[Any]:
    moved = move(node)
    if moved is not None and moved != node:
        yield moved
    if isinstance(node, dict):
        for key, value in node.items():
            yield from ({**node, key: inner} for inner in _each_inside(value, move))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from ([*node[:i], inner, *node[i + 1 :]] for inner in _each_inside(value, move))
