"""Running the cases of policies: examples written apart from the rule, evaluated against it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from worldwright.blueprint import patterns
from worldwright.blueprint.check.literals import to_stored
from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.check.rules import Rules, build_policy, write_binding
from worldwright.blueprint.checked import Policy, Term
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.evaluate import Evaluator
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.model import CaseSpec
from worldwright.blueprint.schema import Schema
from worldwright.blueprint.types import Type, ref
from worldwright.core.days import day_of
from worldwright.core.names import suggest


class CaseRow:
    """A row of a case: what it says, and a complaint about what it does not."""

    def __init__(self, label: str, entity: str, schema: Schema) -> None:
        self.id = label
        self.entity = entity
        self.given: dict[str, Any] = {"id": label}
        self._names = ("id", *(c.name for c in schema.entities[entity].stored))

    @property
    def values(self) -> CaseRow:
        return self

    def __getitem__(self, position: int) -> Any:
        name = self._names[position]
        if name not in self.given:
            raise ExprError(f"the case does not say `{self.id}.{name}`, which the rule reads")
        return self.given[name]


class CaseRows:
    """Rows of one case, by label."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.now = schema.now
        self.today = day_of(schema.now) or ""
        self.actor: CaseRow | None = None
        self._rows: dict[tuple[str, str], CaseRow] = {}
        self._tables: dict[str, list[CaseRow]] = {}
        self._children: dict[tuple[str, str, str], list[CaseRow]] = {}

    def row(self, entity: str, key: str) -> CaseRow:
        return self._rows.setdefault((entity, key), CaseRow(key, entity, self.schema))

    def rows(self, entity: str) -> Iterable[CaseRow]:
        if entity not in self._tables:
            raise ExprError(f"the case does not say which rows of `{entity}` there are", f"{entity}: [...]")
        return self._tables[entity]

    def children(self, entity: str, column: str, key: str) -> Iterable[CaseRow]:
        rows = self._children.get((entity, column, key))
        if rows is not None:
            return rows
        if entity in self._tables:
            return [r for r in self._tables[entity] if r.given.get(column) == key]
        raise ExprError(f"the case does not say which rows of `{entity}` belong to `{key}`")

    def draw(self, node: n.Draw, args: Sequence[Any]) -> Any:
        raise ExprError("a rule cannot draw")

    def choose(self, kind: str, rows: Sequence[Any]) -> Any:
        raise ExprError("a rule cannot draw")

    # filling it

    def put(self, row: CaseRow, name: str, value: Any) -> CaseRow | None:
        """Put one field of a row; return the row it refers to where it is a reference."""
        entity = self.schema.entities[row.entity]
        if name in entity.ways:
            way = entity.ways[name]
            self._children[way.entity, way.column, row.id] = self._list(
                way.entity, value, f"{row.id}.{name}", (way.column, row.id)
            )
            return None
        column = entity.columns.get(name)
        if column is None:
            raise ExprError(f"`{row.entity}` has no field `{name}`", suggest(name, [*entity.columns, *entity.ways]))
        row.given[name] = to_stored(value, column.type)
        return (
            self.row(column.type.entity, row.given[name]) if column.type.kind == "ref" and value is not None else None
        )

    def table(self, entity: str, value: Any) -> None:
        self._tables[entity] = self._list(entity, value, entity, None)

    def _list(self, entity: str, value: Any, label: str, parent: tuple[str, str] | None) -> list[CaseRow]:
        items = [{}] * value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1000 else value
        if not isinstance(items, list):
            raise ExprError(f"`{label}` is many rows", "a list of maps, or a number of rows")
        out = []
        for i, item in enumerate(items):
            if not isinstance(item, dict):
                raise ExprError(f"`{label}[{i}]` is a map of fields")
            row = self.row(entity, str(item.get("id", f"{label}[{i}]")))
            if parent is not None:
                row.given[parent[0]] = parent[1]
            for path, v in item.items():
                if path != "id":
                    self.follow(row, path.split("."), v)
            out.append(row)
        return out

    def follow(self, row: CaseRow, path: list[str], value: Any) -> None:
        for name in path[:-1]:
            label = row.given.get(name, f"{row.id}.{name}")
            following = self.put(row, name, label)
            if following is None:
                raise ExprError(f"`{name}` of `{row.entity}` leads to no row")
            row = following
        self.put(row, path[-1], value)


def case_desk(given: dict[str, Any], takes: dict[str, Type], schema: Schema) -> tuple[CaseRows, dict[str, Any]]:
    """The rows a case describes, and the frame of its rule."""
    desk = CaseRows(schema)
    names = dict(takes)
    if schema.actor:
        names["actor"] = ref(schema.actor)
    frame: dict[str, Any] = {}
    for name, kind in names.items():
        if kind.kind == "ref":
            label = given.get(name, name)
            frame[name] = None if label in (None, "none") else desk.row(kind.entity, str(label))
    for path, value in given.items():
        root, *rest = path.split(".")
        if root in ("now", "today") and not rest:
            setattr(desk, root, str(value))
        elif root in names and rest:
            if names[root].kind != "ref":
                raise ExprError(f"`{root}` is {names[root]}; there is nothing inside it")
            if frame[root] is None:
                raise ExprError(f"`{root}` is none in this case")
            desk.follow(frame[root], rest, value)
        elif root in names:
            if names[root].kind != "ref":
                frame[root] = to_stored(value, names[root])
        elif root in schema.entities and not rest:
            desk.table(root, value)
        else:
            raise ExprError(f"the policy is not about `{root}`", suggest(root, [*names, *schema.entities]))
    if "now" in given and "today" not in given:
        desk.today = desk.now[:10]
    elif "today" in given and "now" not in given:
        desk.now = desk.today + desk.now[10:]
    desk.actor = frame.pop("actor", None)
    for name, kind in takes.items():
        if kind.kind != "ref" and name not in frame:
            raise ExprError(f"the case does not say `{name}`")
    return desk, frame


def run_cases(
    rules: Rules,
    policies: dict[str, Policy],
    terms: dict[str, Term],
    computed: dict[tuple[str, str], n.Node],
    report: Reporter,
) -> None:
    """Run each case of each policy; a disagreement is a finding at that case.

    A case names the variant of its own policy; of all others it means the default, whatever this variant has chosen for them.
    """
    names = tuple(rules.bp.policies)
    plain = {name: build_policy(rules, name, "default", report) for name in names} if rules.bp.variant else policies
    usual = {name: replace(policy, binding=write_binding(policy, plain)) for name, policy in plain.items()}
    for name, policy in usual.items():
        seen = _list_policies_in_view(policy, usual)
        evaluator = _evaluator(rules.schema, seen, terms, computed)
        built: dict[str, Policy] = {}
        for i, case in enumerate(policy.cases):
            with report.at("policies", name, "cases", i):
                kind = _kind_of(case)
                before = len(report.findings)
                own = built.get(case.variant) or build_policy(rules, name, case.variant, report)
                if len(report.findings) == before:  # what is wrong with it is said at each of its cases
                    built[case.variant] = own
                _run_case(evaluator, seen, own, case, kind, report)


def _evaluator(
    schema: Schema, policies: dict[str, Policy], terms: dict[str, Term], computed: dict[tuple[str, str], n.Node]
) -> Evaluator:
    return Evaluator(
        schema,
        lambda e, f: computed[e, f],
        lambda t: (tuple(terms[t].takes), terms[t].body),
        lambda p: (tuple(policies[p].takes), policies[p].binding),
    )


def _list_policies_in_view(policy: Policy, policies: dict[str, Policy]) -> dict[str, Policy]:
    """Return the policies that the cases of one speak of: those of a pattern do not know what exemptions others will add."""
    if not policy.origin.startswith(patterns.MARK):
        return policies
    seen = {name: p if p.origin == policy.origin else replace(p, beats=()) for name, p in policies.items()}
    return {name: replace(p, binding=write_binding(p, seen)) for name, p in seen.items()}


def _kind_of(case: CaseSpec) -> str:
    kinds = [k for k in ("allowed", "forbidden", "applies", "not_") if getattr(case, k) is not None]
    if len(kinds) != 1:
        raise ExprError("a case says one of allowed, forbidden, applies, not")
    return kinds[0]


def _run_case(
    evaluator: Evaluator, policies: dict[str, Policy], policy: Policy, case: CaseSpec, kind: str, report: Reporter
) -> None:
    subject = replace(policy, binding=write_binding(policy, {**policies, policy.name: policy}))
    node = subject.binding if kind in ("allowed", "forbidden") else subject.when
    if node is None:
        raise ExprError("`applies` and `not` need a `when`")
    desk, frame = case_desk(getattr(case, kind), dict(policy.takes), evaluator.schema)
    holds = bool(evaluator.truth(node)(desk, frame))
    if holds != (kind in ("allowed", "applies")):
        raise ExprError(f"the case says {kind.rstrip('_')}, the rule says otherwise", "mend the rule or the case")
    with report.at("because"):
        other = policies.get(case.because)
        if case.because and (other is None or policy.name not in other.beats):
            raise ExprError(f"`{case.because}` does not beat this policy", suggest(case.because, policies))
        if case.because and subject.rule is not None and evaluator.truth(subject.rule)(desk, frame):
            raise ExprError(f"the rule itself allows this, not only `{case.because}`")
