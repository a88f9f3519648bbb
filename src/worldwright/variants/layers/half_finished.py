"""Half-finished processes: runs of a flow that stopped right after they began, and were never taken up again.

What has stood so for too long is abandoned: only the handbook says so, and nothing more may be done with it. What is fresh goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from worldwright.blueprint import checked as c
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.effects import columns_read, effects
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.model import CaseSpec, MessSpec, PolicySpec
from worldwright.core.days import add_days
from worldwright.core.names import to_words
from worldwright.variants.drafting.goal_calls import first_that_checks, name_entity, pick_free_name
from worldwright.variants.drafting.restyle import label_for
from worldwright.variants.drafting.twins import obey_policy
from worldwright.variants.drafting.typical_sizes import estimate_size
from worldwright.variants.layer import Draft, Layer

ABANDONED_SHARE = 0.5
"""Runs that stop, as a share of the flow's runs."""
SHORTEST, SPAN = 30, 4
"""Days after which something is abandoned at the earliest, and how many times the usual wait that is."""
MAX_USUAL_WAIT_DAYS = 21
"""Days that the next step of a flow usually takes at most: what waits longer does so for a reason."""


@dataclass(frozen=True, slots=True)
class BegunFlow:
    """A flow that begins something, and what is on record of when."""

    flow: str
    operation: str
    entity: str
    column: str
    wait: float


def _lay(checked: Checked) -> Draft | None:
    """Lay it on the kind that most goals take up where it was begun, among those that a flow begins and soon takes further."""
    often = _count_taken_up(checked)
    found: dict[str, list[BegunFlow]] = {}
    for one in sorted(_find_begun(checked), key=lambda b: (-often[b.entity], b.wait, b.flow)):
        found.setdefault(one.entity, []).append(one)
    return first_that_checks(checked, (_draft(checked, begun) for entity, begun in found.items() if often[entity]))


def _count_taken_up(checked: Checked) -> Counter[str]:
    """Count by kind the goals about a row of it that say it has to be in its first state."""
    out: Counter[str] = Counter()
    for goal in checked.goals.values():
        said = {part.value for test in goal.where.values() for part in n.walk(test) if isinstance(part, n.Const)}
        states = columns_read(checked, goal.where.values())
        for entity in {kind.entity for kind in goal.given.values()}:
            kind = checked.schema.entities[entity]
            if kind.lifecycle and next(iter(kind.lifecycle)) in said and (entity, kind.state_field) in states:
                out[entity] += 1
    return out


def _find_begun(checked: Checked) -> Iterator[BegunFlow]:
    """Find flows that begin something, where all flows that begin such a thing soon take it further."""
    found: dict[str, list[BegunFlow]] = {}
    slow: set[str] = set()
    for name, flow in checked.flows.items():
        for k, step in enumerate(flow.steps):
            for entity, column in _find_kinds_begun(checked, step.operation):
                wait = _wait(checked, flow, k, entity)
                if wait is None or wait > MAX_USUAL_WAIT_DAYS:
                    slow.add(entity)
                else:
                    found.setdefault(entity, []).append(BegunFlow(name, step.operation, entity, column, wait))
    for entity, begun in found.items():
        if entity not in slow:
            yield from begun


def _find_kinds_begun(checked: Checked, operation: str) -> Iterator[tuple[str, str]]:
    """Find kinds with a lifecycle that an operation begins, each with the column that says when."""
    for statement in walk_statements(checked.operations[operation].body):
        if not isinstance(statement, c.Add):
            continue
        kind = checked.schema.entities[statement.entity]
        if not kind.lifecycle or kind.rows:  # what was there from the start may have stood so for years
            continue
        moments = [name for name, node in statement.values if isinstance(node, n.Var) and node.name in ("today", "now")]
        if moments and kind.columns[moments[0]].source == "given":
            yield statement.entity, moments[0]


def _wait(checked: Checked, flow: c.Flow, begun: int, entity: str) -> float | None:
    """About how many days pass until a later step takes it out of its first state; nothing where none does."""
    state, days = checked.schema.entities[entity].state_field, 0.0
    for step in flow.steps[begun + 1 :]:
        days += estimate_size(step.after, checked) or 0.0
        writes = effects(checked, step.operation).writes
        if any(w.entity == entity and state in w.columns and w.verb == "set" for w in writes):
            return days
    return None


def _draft(checked: Checked, begun: list[BegunFlow]) -> Draft:
    """The rule, and runs of every flow that stop."""
    one, bp = begun[0], checked.blueprint
    kind = checked.schema.entities[one.entity]
    first, state = next(iter(kind.lifecycle)), kind.state_field
    days = max(SHORTEST, round(max(b.wait for b in begun) * SPAN / 10) * 10)
    when = f"day(kept.{one.column})" if kind.columns[one.column].type.kind == "time" else f"kept.{one.column}"
    at = "T09:00:00Z" if kind.columns[one.column].type.kind == "time" else ""
    name = pick_free_name(bp.policies, "abandoned_halfway", "left_lying_too_long")
    what, today = name_entity(checked, one.entity), bp.now[:10]
    old, new = f"{add_days(today, -days - 1)}{at}", f"{add_days(today, -days)}{at}"
    other = next(s for s in kind.lifecycle if s != first)
    policy = PolicySpec(
        about={"kept": one.entity},
        rule=f"kept.{state} != '{first}' or {when} >= today - days",
        parameters={"days": {"default": days, "strict": days // 3, "lenient": days * 3}},
        says=(
            f"Processes are sometimes begun and then left. A {what} that is still {to_words(first)} more than {{days:days}} after "
            f"its {to_words(one.column)} is abandoned: nothing more is done with it, whoever asks. What is younger goes on as "
            "usual."
        ),
        enforced="agent",
        cases=(
            CaseSpec(allowed={f"kept.{state}": first, f"kept.{one.column}": new}),
            CaseSpec(forbidden={f"kept.{state}": first, f"kept.{one.column}": old}),
            CaseSpec(allowed={f"kept.{state}": other, f"kept.{one.column}": old}),
            CaseSpec(forbidden={f"kept.{state}": first, f"kept.{one.column}": new}, variant="strict"),
            CaseSpec(allowed={f"kept.{state}": first, f"kept.{one.column}": old}, variant="lenient"),
        ),
    )
    labels = []
    for b in begun:
        labels.append(label_for(bp, f"{b.entity}_left_halfway"))
        mess = MessSpec(layer="half_done", label=labels[-1], flow=b.flow, after=b.operation, share=ABANDONED_SHARE)
        bp = bp.model_copy(update={"mess": (*bp.mess, mess)})
    out = obey_policy(checked, bp, name, policy)
    return Draft(out, (f"decides:{name}", *(f"mess:{label}" for label in labels)))


LAYER = Layer(
    "rules",
    "many processes of one kind were begun and left; what has lain too long is abandoned and may not be gone on with",
    "processes left halfway",
    _lay,
)
