"""Policy conflicts: an exception to a rule, and an exception to the exception. The handbook says which comes before which.

Three rules may then speak of one request, and only their order tells what is right. Rules that only the handbook enforces are taken
first: what tools enforce, trying finds out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from worldwright.blueprint.checked import Checked, Policy
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.model import Blueprint, CaseSpec, PolicySpec
from worldwright.blueprint.schema import Column
from worldwright.core.names import to_words
from worldwright.variants.drafting.goal_calls import (
    add_entries,
    find_goal_calls,
    first_that_checks,
    is_shown,
    name_entity,
    pick_free_name,
    shuffle,
)
from worldwright.variants.layer import Draft, Layer

NAME = "policy_conflicts"
MAX_RULES = 2
MAX_WORDS = 7
"""Words of a choice: with more, each of them is rare."""


@dataclass(frozen=True, slots=True)
class _Trait:
    """Something about a record that a rule may turn on."""

    subject: str
    path: str
    """From the subject: `category`, `vendor.category`."""
    entity: str
    column: str
    value: Any
    other: Any
    share: float
    """How many have it, about."""

    @property
    def test(self) -> str:
        return f"{self.subject}.{self.path} == {_literal(self.value)}"

    @property
    def key(self) -> str:
        return f"{self.subject}.{self.path}"


def _literal(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else f"'{value}'"


def _lay(checked: Checked) -> Draft | None:
    """Lay it on as many rules as can have it, tried one by one: one that does not check costs no other."""
    out = checked.blueprint
    parts: tuple[str, ...] = ()
    for name in _rules(checked):
        pairs = islice(_find_pairs(checked, checked.policies[name]), 3)
        found = first_that_checks(checked, (_drafted(checked, out, name, first, second) for first, second in pairs))
        if found is not None:
            out, parts = found.blueprint, (*parts, *found.parts)
        if len(parts) >= 3 * MAX_RULES:
            break
    return Draft(out, parts) if parts else None


def _rules(checked: Checked) -> list[str]:
    """Rules that requests meet: those of the handbook alone first, then those that most goals meet."""
    met: dict[str, int] = {}
    for op, calls in find_goal_calls(checked).items():
        for policy in dict.fromkeys(_list_obeyed(checked, op)):
            met[policy] = met.get(policy, 0) + len(calls)
    fit = [name for name in met if checked.policies[name].rule is not None and checked.policies[name].cases]
    order = shuffle(checked, NAME, sorted(fit))
    return sorted(order, key=lambda name: (checked.policies[name].enforced != "agent", -met[name]))


def _list_obeyed(checked: Checked, operation: str) -> Iterator[str]:
    for s in checked.blueprint.operations[operation].does:
        match s.obey:
            case None:
                continue
            case str():
                yield s.obey
            case dict():
                yield from s.obey
            case _:
                for one in s.obey:
                    yield from [one] if isinstance(one, str) else one


# what the exceptions turn on


def _find_pairs(checked: Checked, policy: Policy) -> Iterator[tuple[_Trait, _Trait]]:
    """Find two traits of what a rule is about: the nearer to half of all records the better."""
    said = {key for case in policy.cases for given in (case.allowed, case.forbidden) for key in given or {}}
    traits = [t for t in _traits(checked, policy) if t.key not in said]
    traits.sort(key=lambda t: (abs(t.share - 0.45), t.path.count("."), t.key))
    for first in traits:
        for second in traits:
            if first.column != second.column or first.entity != second.entity:
                yield first, second


def _traits(checked: Checked, policy: Policy) -> Iterator[_Trait]:
    own = {
        part.name for node in (policy.rule, policy.when) if node for part in n.walk(node) if isinstance(part, n.Field)
    }
    for subject, kind in policy.takes.items():
        if kind.kind != "ref":
            continue
        entity = checked.schema.entities[kind.entity]
        yield from _find_traits(checked, subject, "", entity.name, own)
        for ref in entity.refs:
            if not ref.optional and ref.type.entity != checked.schema.actor:
                yield from _find_traits(checked, subject, f"{ref.name}.", ref.type.entity, own)


def _find_traits(checked: Checked, subject: str, before: str, entity: str, own: set[str]) -> Iterator[_Trait]:
    if entity == checked.schema.actor:
        return
    for column in checked.schema.entities[entity].stored:
        usable = not column.optional and not column.state and column.name not in own and column.source == "given"
        if usable and is_shown(checked, entity, column.name):
            yield from _values(subject, before + column.name, entity, column)


def _values(subject: str, path: str, entity: str, column: Column) -> Iterator[_Trait]:
    if column.type.kind == "bool":
        yield _Trait(subject, path, entity, column.name, True, False, 0.3)
    elif column.type.kind == "enum" and 2 <= len(column.type.values) <= MAX_WORDS:
        values = column.type.values
        shares = [w / 100 for w in column.weights] or [1 / len(values)] * len(values)
        share, value = min(zip(shares, values, strict=True), key=lambda one: (abs(one[0] - 0.45), one[1]))
        yield _Trait(subject, path, entity, column.name, value, next(v for v in values if v != value), share)


# the exceptions


def _drafted(checked: Checked, bp: Blueprint, name: str, first: _Trait, second: _Trait) -> Draft:
    spec = bp.policies[name]
    lifts = pick_free_name(bp.policies, f"{name}_exception"[:50])
    returns = pick_free_name(bp.policies, f"{name}_after_all"[:50])
    rule = to_words(name)
    exception = PolicySpec(
        about={first.subject: spec.about[first.subject]},
        when=first.test,
        beats=(name,),
        says=f"Where {_describe_trait(checked, first)}, the rule `{rule}` does not bind.",
        cases=(CaseSpec(applies={first.key: first.value}), CaseSpec(not_={first.key: first.other})),
    )
    counter = PolicySpec(
        about={second.subject: spec.about[second.subject]},
        when=second.test,
        beats=(lifts,),
        says=f"Where {_describe_trait(checked, second)}, the exception does not count: the rule `{rule}` binds after all.",
        cases=(CaseSpec(applies={second.key: second.value}), CaseSpec(not_={second.key: second.other})),
    )
    beaten = spec.model_copy(update={"cases": _write_cases(spec, lifts, first, second)})
    policies = {name: beaten, lifts: exception, returns: counter}
    return Draft(add_entries(bp, policies=policies), tuple(f"policy:{one}" for one in policies))


def _describe_trait(checked: Checked, trait: _Trait) -> str:
    value = ("yes" if trait.value else "no") if isinstance(trait.value, bool) else to_words(trait.value)
    return f"the `{to_words(trait.column)}` of the {name_entity(checked, trait.entity)} is {value}"


def _write_cases(spec: PolicySpec, lifts: str, first: _Trait, second: _Trait) -> tuple[CaseSpec, ...]:
    """Say of records without the traits what was said of the rule, and the two exceptions, each on what was forbidden."""
    plain = {first.key: first.other, second.key: second.other}
    out: list[CaseSpec] = []
    for case in spec.cases:
        allowed = {**plain, **case.allowed} if case.allowed is not None else None
        forbidden = {**plain, **case.forbidden} if case.forbidden is not None else None
        out.append(case.model_copy(update={"allowed": allowed, "forbidden": forbidden}))
    for case in out[:]:
        if case.forbidden is not None and case.variant == "default":
            lifted = {**case.forbidden, first.key: first.value}
            out.append(CaseSpec(allowed=lifted, because=lifts))
            out.append(CaseSpec(forbidden={**lifted, second.key: second.value}))
            break
    return tuple(out)


LAYER = Layer(
    "rules",
    "some rules have an exception, and the exception has one in turn; the handbook says which comes before which",
    "rules that contradict each other",
    _lay,
)
