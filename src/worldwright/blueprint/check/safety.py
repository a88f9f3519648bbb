"""Checks over the whole Blueprint: dates, circles, what may be messed with, what depends on what."""

from __future__ import annotations

from collections.abc import Iterator

from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.checked import Checked, Each, Statement, When
from worldwright.blueprint.effects import effects
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.model import Blueprint
from worldwright.core.days import parse_day, parse_moment
from worldwright.core.names import IDENTIFIER


def check_dates(bp: Blueprint, report: Reporter) -> None:
    if not IDENTIFIER.match(bp.blueprint):
        with report.at("blueprint"):
            report.add(f"`{bp.blueprint[:60]}` cannot be the name of a Blueprint", "lower case letters, digits and _")
    if parse_moment(bp.now) is None or not "1950" <= bp.now[:4] < "2200":
        with report.at("now"):
            report.add(f"`{bp.now[:40]}` is not a moment of our time", "2025-06-16T09:00:00Z")
    for i, text in enumerate(bp.holidays):
        if parse_day(text) is None:
            with report.at("holidays", i):
                report.add(f"`{text}` is not a day", "2025-01-31")


def check_kept_cycles(kept: dict[tuple[str, str], n.Node], report: Reporter) -> None:
    """A kept field may be made of others, but never of itself in the end, not even of the same field of other rows."""
    reads = {
        key: {
            (p.base.type.entity, p.name) for p in n.walk(node) if isinstance(p, n.Field) and p.base.type.kind == "ref"
        }
        & kept.keys()
        for key, node in kept.items()
    }
    for key in kept:
        seen: set[tuple[str, str]] = set()
        todo = sorted(reads[key])
        while todo:
            other = todo.pop()
            if other == key:
                with report.at("entities", key[0], "fields", key[1]):
                    report.add("is kept from itself, directly or through others", "use `computed`, or another field")
                break
            if other not in seen:
                seen.add(other)
                todo.extend(sorted(reads[other]))


def map_dependents(kept: dict[tuple[str, str], n.Node]) -> dict[str, tuple[tuple[str, str, str], ...]]:
    """Map each entity to the kept fields that change with its rows: (owner, field, reference column or '' for its own)."""
    out: dict[str, list[tuple[str, str, str]]] = {}
    for (owner, field), node in kept.items():
        out.setdefault(owner, []).append((owner, field, ""))
        for part in n.walk(node):
            if isinstance(part, n.Aggregate):
                entry = (owner, field, part.rows.column)
                if entry not in out.setdefault(part.rows.entity, []):
                    out[part.rows.entity].append(entry)
    return {entity: tuple(entries) for entity, entries in out.items()}


def list_expressions(checked: Checked) -> Iterator[n.Node]:
    """Yield every expression that rules and operations evaluate."""
    yield from checked.computed.values()
    yield from checked.kept.values()
    for term in checked.terms.values():
        yield term.body
    for policy in checked.policies.values():
        yield policy.binding
    for invariant in checked.always.values():
        yield invariant.holds
    for operation in checked.operations.values():
        for statement in walk_statements(operation.body):
            yield from n.statement_nodes(statement)
        if operation.read is not None and operation.read.where is not None:
            yield operation.read.where


def walk_statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """Yield every statement of a body, nested ones included."""
    for statement in body:
        yield statement
        if isinstance(statement, When):
            yield from walk_statements(statement.do)
            yield from walk_statements(statement.otherwise)
        elif isinstance(statement, Each):
            yield from walk_statements(statement.do)


def check_mess_safety(checked: Checked, report: Reporter) -> None:
    """Old date styles may be laid only where no rule computes with the value."""
    read: set[tuple[str, str]] = set()
    for node in list_expressions(checked):
        for part in n.walk(node):
            if isinstance(part, n.Field) and part.base.type.kind == "ref":
                read.add((part.base.type.entity, part.name))
    for i, mess in enumerate(checked.mess):
        if mess.spec.layer != "legacy_format":
            continue
        column = checked.schema.entities[mess.entity].columns[mess.column]
        if column.type.kind == "date" and (mess.entity, mess.column) in read:
            with report.at("mess", i):
                report.add(
                    f"rules read `{mess.spec.in_}`, so its format cannot be old", "choose a date that no rule reads"
                )


def check_trails(checked: Checked, report: Reporter) -> None:
    """Nothing may be written to a trail alone: states are not compared on it, and nobody would see it."""
    entities = checked.schema.entities
    for name in checked.operations:
        written = {write.entity for write in effects(checked, name).writes if not write.derived}
        trails = sorted(entity for entity in written if entities[entity].trail)
        if trails and all(entities[entity].trail for entity in written):
            with report.at("operations", name):
                report.add(f"it writes only to the trail `{trails[0]}`", f"say `sort: log` for `{trails[0]}`")
