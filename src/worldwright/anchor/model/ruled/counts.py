"""Counts: `at most three open tickets per customer`, `at least two quotes before it is approved`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldwright.anchor.model.records import Entity
from worldwright.anchor.model.ruled.operations import moving, owners
from worldwright.anchor.model.ruled.presence import Condition, condition
from worldwright.anchor.model.ruled.records import Draft, Reading
from worldwright.anchor.model.ruled.sentences import MODALS, Figure, parameter, said
from worldwright.anchor.model.ruled.subjects import Mention
from worldwright.anchor.model.ruled.verbs import acts_named, verbs, verbs_of
from worldwright.english.nouns import singular
from worldwright.english.stems import stemset

MOST = 20
"""More of them than a derived world has of one owner."""
_OWN = frozenset({"x", "r", "actor"})
"""Names that the policies have for something else."""
_AT_MOST = {"at_most": 0, "under": -1}
_AT_LEAST = {"at_least": 0, "over": 1}
_HAVING = stemset(
    "have hold include contain attach attached assign assigned list keep obtain obtained provide limit "
    "limited cap capped exceed file place placed open create created book own collect collected"
)


def count(r: Reading) -> Draft | str | None:
    """How many records of one thing another may have, or has to have."""
    for figure in r.s.figures:
        for counted in _counted(r, figure):
            found = _of(r, figure, counted)
            if found is not None:
                return found
    return None


def _counted(r: Reading, figure: Figure) -> Iterator[Entity]:
    """The thing that a figure counts."""
    head = singular(figure.quantity.unit)
    if {w.low for w in r.s.words[figure.start : figure.end]} & MODALS:
        return
    for entity in (m.entity for m in r.mentions if figure.start <= m.start < figure.end + 2):
        if entity.noun and singular(entity.noun[-1]) == head:
            yield entity
            return


def _of(r: Reading, figure: Figure, counted: Entity) -> Draft | str | None:
    q = figure.quantity
    if not figure.written or not 0 < q.value <= MOST or q.value != int(q.value) or counted.name in _OWN:
        return "too many to be counted here" if q.value > MOST else None
    ways = {column: other for column, other in owners(counted).items() if other in r.resources}
    owner = next((m for m in r.mentions if m.entity.name in ways.values() and m.entity.name != counted.name), None)
    if owner is None:
        return f"nothing that it names has `{counted.name}` records"
    column = next(c for c, other in ways.items() if other == owner.entity.name)
    demands, compares = r.s.demands, q.compares
    upper = (compares in _AT_MOST and demands != "only_if") or (demands == "must_not" and compares == "over")
    if upper:
        return _most(r, figure, counted, column, owner)
    if (compares in _AT_LEAST and demands in ("must", "only_if")) or (demands == "must_not" and compares == "under"):
        return _least(r, figure, counted, column, owner)
    return "it only allows something"


def _rows(r: Reading, figure: Figure, counted: Entity, column: str) -> tuple[str, dict[str, Any], frozenset[int]]:
    """The rows that are counted, one of them as a case has it, and the words that say which."""
    state = counted.state
    near = range(figure.start, min(figure.end + 1, len(r.s.words)))
    known = list(state.words.values()) if state is not None else []
    at = next((k for k in near if r.s.low(k) in known), -1)
    rows, row = f"r for r in {counted.name} if r.{column} == x", {column: "x"}
    if at < 0 or state is None:
        return rows, row, frozenset()
    return f"{rows} and r.{state.name} == '{r.s.low(at)}'", {**row, state.name: r.s.low(at)}, frozenset({at})


def _most(r: Reading, figure: Figure, counted: Entity, column: str, owner: Mention) -> Draft | str:
    """At most so many: another one is not made."""
    more = 0 if figure.quantity.compares == "over" else _AT_MOST[figure.quantity.compares]
    limit = int(figure.quantity.value) + more
    rows, row, told = _rows(r, figure, counted, column)
    made = [a for a in r.acts.get(counted.name, ()) if a.kind == "create" and a.input_for(owner.entity.name)]
    if not made or limit < 1:
        return f"no operation makes a `{counted.name}` for one"
    p = parameter(r.s, figure, "limit", int(figure.quantity.value), True, 1 - more, MOST)
    few = f"count({rows}) < limit" if more == 0 else f"count({rows}) < limit - 1"
    spec = {
        "about": {"x": owner.entity.name},
        "rule": f"x is none or {few}",
        "parameters": {"limit": p.variants},
        "cases": [
            {"allowed": {counted.name: [dict(row) for _ in range(limit - 1)]}},
            {"forbidden": {counted.name: [dict(row) for _ in range(limit)]}},
        ],
    }
    bound = tuple((a.name, {"x": a.input_for(owner.entity.name)}) for a in made)
    return Draft(
        counted, f"{owner.entity.name}_{counted.name}_count", spec, said(r.s, (p,)), bound,
        ("count", counted.name, owner.entity.name, "most"), covered=told | _covered(r, figure, owner),
    )  # fmt: skip


def _least(r: Reading, figure: Figure, counted: Entity, column: str, owner: Mention) -> Draft | str:
    """At least so many: nothing goes on before."""
    more = 0 if figure.quantity.compares == "under" else _AT_LEAST[figure.quantity.compares]
    needed = int(figure.quantity.value) + more
    rows, row, told = _rows(r, figure, counted, column)
    acts, used = acts_named(r, owner.entity, verbs_of(r, "before") or verbs(r))
    acts = [a for a in acts if a.row] or moving(r.acts.get(owner.entity.name, ()))
    if not acts:
        return "no operation does what it speaks of"
    p = parameter(r.s, figure, "least", int(figure.quantity.value), False, 1, MOST)
    only: Condition | None = condition(r, owner.entity)
    base = f"count({rows}) >= least" if not more else f"count({rows}) > least"
    values = only.inside if only is not None else {}
    spec: dict[str, Any] = {
        "about": {"x": owner.entity.name},
        "rule": f"{only.expression} or {base}" if only is not None else base,
        "parameters": {"least": p.variants, **({"limit": only.parameter.variants} if only is not None else {})},
        "cases": [
            {"allowed": {counted.name: [dict(row) for _ in range(needed)], **values}},
            {"forbidden": {counted.name: [dict(row) for _ in range(needed - 1)], **values}},
        ],
    }
    told |= used | _covered(r, figure, owner) | (only.covered if only is not None else frozenset())
    parameters = (p, only.parameter) if only is not None else (p,)
    bound = tuple((a.name, {"x": a.row}) for a in acts)
    return Draft(
        owner.entity, f"{owner.entity.name}_{counted.name}_needed", spec, said(r.s, parameters), bound,
        ("count", counted.name, owner.entity.name, "least"), covered=told,
    )  # fmt: skip


def _covered(r: Reading, figure: Figure, owner: Mention) -> frozenset[int]:
    having = {k for k in range(len(r.s.words)) if r.s.words[k].stem in _HAVING}
    return frozenset(having | set(range(owner.start, owner.end))) | figure.plain
