"""What a world is, as plain records: the screen shows them and `--json` prints them, so the two agree."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldwright.blueprint.check.rules import list_sets
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.effects import effects
from worldwright.blueprint.fieldspec import split_field
from worldwright.blueprint.schema import Column, Entity
from worldwright.core.errors import PackError
from worldwright.core.fixed import to_number
from worldwright.facts.opened import OpenedPack
from worldwright.pack.open import Pack


@dataclass(frozen=True, slots=True)
class WorldFacts:
    name: str
    title: str
    category: str
    summary: str
    digest: str
    blueprint: str
    seed: int
    variant: Mapping[str, str]
    axes: Mapping[str, str]
    parent: str
    clock: str
    currency: str
    built_with: str
    systems: Mapping[str, str]
    roles: Mapping[str, str]
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    name: str
    type: str
    optional: bool
    source: str
    """given, kept or computed"""
    sort: str
    """How two states are compared on it."""
    rule: str
    """What a kept or computed column follows from."""
    says: str


@dataclass(frozen=True, slots=True)
class TableFacts:
    name: str
    system: str
    rows: int
    key: str
    says: str
    columns: tuple[ColumnFacts, ...]
    lifecycle: Mapping[str, tuple[str, ...]]
    state_column: str
    unique: tuple[tuple[str, ...], ...]
    ways_back: Mapping[str, str]
    origin: str
    """The pattern that it comes from."""


@dataclass(frozen=True, slots=True)
class PolicyFacts:
    name: str
    says: str
    enforced: str
    """tool, handbook, or exemption where it only lifts other rules"""
    code: str
    beats: tuple[str, ...]
    beaten_by: tuple[str, ...]
    about: Mapping[str, str]
    rule: str
    when: str
    parameters: Mapping[str, Any]
    variants: tuple[str, ...]
    chosen: str
    tools: tuple[str, ...]
    """The tools that ask it."""
    cases: int
    origin: str


@dataclass(frozen=True, slots=True)
class MessFacts:
    label: str
    layer: str
    count: int
    where: tuple[str, ...]


def world_facts(opened: OpenedPack) -> WorldFacts:
    m, bp = opened.pack.manifest, opened.checked.blueprint
    return WorldFacts(
        m.name,
        bp.title,
        bp.category,
        " ".join(bp.summary.split()),
        m.digest,
        m.blueprint,
        m.seed,
        m.variant,
        m.axes,
        m.parent,
        opened.checked.schema.now,
        bp.currency,
        m.built_with,
        bp.systems,
        bp.roles,
        m.counts,
    )


def table_facts(checked: Checked, counts: Mapping[str, int]) -> tuple[TableFacts, ...]:
    return tuple(_table(checked, e, counts.get(e.name, 0)) for e in checked.schema.entities.values())


def _table(checked: Checked, entity: Entity, rows: int) -> TableFacts:
    return TableFacts(
        entity.name,
        entity.system,
        rows,
        entity.key.prefix + "#" * entity.key.digits,
        entity.says,
        tuple(_column(checked, entity.name, c) for c in entity.columns.values()),
        entity.lifecycle,
        entity.state_field,
        entity.unique,
        {name: f"{way.entity}.{way.column}" for name, way in entity.ways.items()},
        entity.origin,
    )


def _column(checked: Checked, entity: str, column: Column) -> ColumnFacts:
    spec = checked.blueprint.entities[entity].fields[column.name]
    rule = ""
    if column.source != "given":
        long = split_field(spec)[2]
        rule = " ".join(((long.kept if column.source == "kept" else long.computed) or "").split())
    kind = "state" if column.state else f"{column.type} ({column.flavour})" if column.flavour else str(column.type)
    if column.currency:
        kind = f"money in {column.currency}"
    return ColumnFacts(column.name, kind, column.optional, column.source, column.sort, rule, column.says)


def policy_facts(checked: Checked) -> tuple[PolicyFacts, ...]:
    asked: dict[str, list[str]] = {}
    for name in checked.operations:
        for policy in effects(checked, name).policies:
            asked.setdefault(policy, []).append(name)
    out = []
    for name, p in checked.policies.items():
        spec = checked.blueprint.policies[name]
        names = list_sets(spec)
        handbook = "handbook" if p.enforced == "agent" else "tool"
        out.append(
            PolicyFacts(
                name,
                p.says,
                "exemption" if p.rule is None else handbook,
                "" if p.rule is None or handbook == "handbook" else p.code,
                p.beats,
                tuple(other for other, q in checked.policies.items() if name in q.beats),
                {k: str(t) for k, t in p.takes.items()},
                spec.rule or "",
                spec.when or "",
                {
                    k: (to_number(c.value, c.type.places) if isinstance(c.value, int) and c.type.places else c.value)
                    for k, c in p.parameters.items()
                },
                names if len(names) > 1 or spec.parameters else (),
                checked.blueprint.variant.get(name, "default"),
                tuple(asked.get(name, ())),
                len(p.cases),
                p.origin,
            )
        )
    return tuple(out)


def mess_facts(pack: Pack) -> tuple[MessFacts, ...]:
    """The layers of mess in the opening state, from the list of every cell they touched."""
    try:
        data = json.loads(pack.files.get("mess.json", b"{}"))
        entries = [*data.get("blemishes", ()), *data.get("half_done", ())]
        touched = [(e["label"], e["layer"], _place(e)) for e in entries]
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise PackError(f"mess.json cannot be read: {e}") from None
    count = Counter((label, layer) for label, layer, _ in touched)
    return tuple(
        MessFacts(label, layer, n, tuple(dict.fromkeys(w for a, b, w in touched if (a, b) == (label, layer))))
        for (label, layer), n in count.items()
    )


def _place(entry: Mapping[str, Any]) -> str:
    column = entry.get("column")
    return f"{entry['entity']}.{column}" if column else str(entry["entity"])
