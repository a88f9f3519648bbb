"""Entities: types first, so that expressions can refer to everything; then the expressions inside entities."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from worldwright.blueprint.check.literals import to_stored
from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.expr.library import RESERVED, is_variable_name
from worldwright.blueprint.expr.parse import parse
from worldwright.blueprint.expr.scope import Language, Scope
from worldwright.blueprint.fieldspec import SIMPLE, TypeSpec, parse_type, split_field
from worldwright.blueprint.given import MAX_GIVEN_ROWS, read_rows
from worldwright.blueprint.model import Blueprint, EntitySpec, FieldSpec
from worldwright.blueprint.schema import Column, Entity, Schema, Shown, Way
from worldwright.blueprint.types import TEXT
from worldwright.core.ids import KeyFormat
from worldwright.core.names import IDENTIFIER, suggest
from worldwright.english.nouns import plural

VARIABLES = ("an input", "a value", "a part of a list", "a given", "a step's result", "a subject")
"""Things whose names stand on their own in generated files."""

MAX_FIELDS = 120
MAX_ENTITIES = 200


def check_name(report: Reporter, name: str, what: str) -> bool:
    """Check that a name is an identifier that means nothing else, in Python, in SQL or here."""
    if not IDENTIFIER.match(name) or "__" in name or name.startswith("sqlite_"):
        report.add(f"`{name}` cannot be the name of {what}", "lower case letters, digits and single _, at most 60")
    elif keyword.iskeyword(name) or name in RESERVED or (what in VARIABLES and not is_variable_name(name)):
        report.add(
            f"`{name}` is a word of the language and cannot name {what}", f"for instance `{name}_`, `the_{name}`"
        )
    else:
        return True
    return False


def build_schema(bp: Blueprint, report: Reporter) -> Schema:
    """Build every entity with its columns and ways back; findings for what does not resolve."""
    names = tuple(bp.entities)
    for section, nodes in (("systems", bp.systems), ("roles", bp.roles)):
        for name in nodes:
            with report.at(section, name):
                if not IDENTIFIER.match(name) or name == "anyone":
                    report.add(
                        f"`{name[:60]}` cannot be the name of one of the {section}", "lower case letters, digits and _"
                    )
    if bp.roles and bp.actor is None:
        with report.at("roles"):
            report.add("roles need an `actor`, the entity whose rows have them", "actor: {entity: ..., role: ...}")
    if len(names) > MAX_ENTITIES:
        with report.at("entities"):
            report.add(f"{len(names)} entities", f"at most {MAX_ENTITIES}")
    entities: dict[str, Entity] = {}
    ways: list[tuple[str, str, str, str]] = []
    prefixes: dict[str, str] = {}
    for name, spec in bp.entities.items():
        with report.at("entities", name):
            check_name(report, name, "an entity")
            if len(spec.fields) > MAX_FIELDS:
                raise ExprError(f"{len(spec.fields)} fields", f"at most {MAX_FIELDS}; split the entity")
            if name in SIMPLE:
                report.add(
                    f"`{name}` is a type of the language and cannot name an entity", f"for instance `{name}_record`"
                )
            if spec.in_ not in bp.systems:
                with report.at("in"):
                    report.add(f"no system is called `{spec.in_}`", suggest(spec.in_, bp.systems))
            key = KeyFormat.parse(spec.key)
            with report.at("key"):
                if key is None:
                    report.add(
                        f"`{spec.key}` is not a key",
                        "capitals, a dash and 2 to 9 #, as PO-#####; or three digits and 4 to 9 #, as 101####",
                    )
                    key = KeyFormat("X-", 2)
                elif key.prefix in prefixes:
                    report.add(f"the key prefix {key.prefix} is already that of `{prefixes[key.prefix]}`")
                else:
                    prefixes[key.prefix] = name
            _check_lifecycle(spec, report)
            columns = _columns(name, spec, names, report, ways)
            entities[name] = _entity(name, spec, key, columns, report)
    entities = add_seeds(bp, _add_ways_back(entities, ways, report), report)
    schema = _schema(bp, entities, report)
    return schema


def _entity(name: str, spec: EntitySpec, key: KeyFormat, columns: dict[str, Column], report: Reporter) -> Entity:
    states = [c.name for c in columns.values() if c.state]
    if len(states) > 1:
        report.add("more than one field of type `state`", "one lifecycle per entity")
    if spec.lifecycle and not states:
        report.add("a lifecycle but no field of type `state`", "add `status: state`")
    for group in spec.unique:
        for f in group:
            if f not in columns or not columns[f].stored:
                report.add(f"`unique` names `{f}`, which is not a stored field", suggest(f, columns))
    return Entity(
        name, spec.in_, key, spec.rows, columns, {}, spec.lifecycle, states[0] if states else "", spec.unique,
        bool(spec.sort), spec.sort == "trail", spec.says, spec.source,
    )  # fmt: skip


def _check_lifecycle(spec: EntitySpec, report: Reporter) -> None:
    for state, following in spec.lifecycle.items():
        if not IDENTIFIER.match(state):
            with report.at("lifecycle", state):
                report.add(f"`{state}` cannot be the name of a state", "lower case letters, digits and _")
        for target in following:
            if target not in spec.lifecycle:
                with report.at("lifecycle", state):
                    report.add(f"`{target}` is not a state", suggest(target, spec.lifecycle) + "; end states have []")


def _columns(
    entity: str, spec: EntitySpec, names: tuple[str, ...], report: Reporter, ways: list[tuple[str, str, str, str]]
) -> dict[str, Column]:
    out: dict[str, Column] = {}
    for field, text in spec.fields.items():
        with report.at("fields", field):
            check_name(report, field, "a field")
            type_text, optional, long = split_field(text)
            kind = parse_type(type_text, names, tuple(spec.lifecycle))
            if kind.currency and kind.currency not in spec.fields:
                raise ExprError(f"no field `{kind.currency}` names the currency", suggest(kind.currency, spec.fields))
            if kind.state and (optional or long.kept or long.computed):
                raise ExprError("a state is always there and moves by operations only")
            out[field] = _column(field, kind, optional, long)
            if kind.type.kind == "ref" and not long.computed:
                ways.append((kind.type.entity, kind.way, entity, field))
    return out


def _column(name: str, kind: TypeSpec, optional: bool, long: FieldSpec) -> Column:
    source = "kept" if long.kept is not None else "computed" if long.computed is not None else "given"
    sort = long.sort or _choose_sort(kind, source)
    return Column(
        name, kind.type, optional, kind.flavour, kind.weights, kind.currency, source, kind.state, sort, long.says,
        None if long.shown is None else Shown(long.shown.by, long.shown.ways, long.shown.codes), long.hidden,
    )  # fmt: skip


def _choose_sort(kind: TypeSpec, source: str) -> str:
    """Choose how two states are compared on a column, where the author does not say."""
    if source == "kept":
        return "derived"
    return {"ref": "identity", "time": "time", "text": "content" if kind.flavour else "text"}.get(
        kind.type.kind, "content"
    )


def _add_ways_back(
    entities: dict[str, Entity], ways: list[tuple[str, str, str, str]], report: Reporter
) -> dict[str, Entity]:
    found: dict[str, dict[str, Way]] = {name: {} for name in entities}
    for target, given, owner, column in ways:
        if target not in entities or owner not in entities:
            continue
        with report.at("entities", owner, "fields", column):
            name = given or plural(owner)
            taken = found[target]
            if not given and (name in taken or name in entities[target].columns):
                name = f"{name}_as_{column}"
            if name in taken or name in entities[target].columns:
                report.add(f"`{target}` already has a `{name}`", "name the way back with `as`")
                continue
            taken[name] = Way(owner, column)
    return {name: replace(e, ways=found[name]) for name, e in entities.items()}


def _schema(bp: Blueprint, entities: dict[str, Entity], report: Reporter) -> Schema:
    actor = role = ""
    if bp.actor is not None:
        with report.at("actor"):
            if bp.actor.entity not in entities:
                raise ExprError(f"no entity is called `{bp.actor.entity}`", suggest(bp.actor.entity, entities))
            column = entities[bp.actor.entity].columns.get(bp.actor.role)
            if column is None or column.type.kind != "enum":
                raise ExprError(f"`{bp.actor.role}` is not a `one of` field of {bp.actor.entity}")
            actor, role = bp.actor.entity, bp.actor.role
            report.path = ()
            for name in bp.roles:
                if name not in column.type.values:
                    with report.at("roles", name):
                        report.add(f"role `{name}` is not a value of {actor}.{role}", suggest(name, column.type.values))
    holidays = frozenset(bp.holidays)
    return Schema(entities, actor, role, tuple(bp.roles), bp.rounding, bp.currency, bp.now, holidays)


def parse_entity_expressions(
    bp: Blueprint, language: Language, report: Reporter
) -> tuple[dict[tuple[str, str], n.Node], dict[tuple[str, str], n.Node], dict[tuple[str, str], n.Node]]:
    """Parse (computed, kept, draws) by entity and field."""
    computed: dict[tuple[str, str], n.Node] = {}
    kept: dict[tuple[str, str], n.Node] = {}
    draws: dict[tuple[str, str], n.Node] = {}
    for entity, spec in bp.entities.items():
        scope = Scope(self_entity=entity)
        for field, text in spec.fields.items():
            column = language.schema.entities[entity].columns.get(field)
            if column is None:
                continue
            with report.at("entities", entity, "fields", field):
                _, _, long = split_field(text)
                key = (entity, field)
                if long.computed is not None:
                    computed[key] = parse(long.computed, language, scope, column.type)
                if long.kept is not None:
                    kept[key] = parse(long.kept, language, scope, column.type)
                    _check_kept(kept[key], language.schema)
                if long.draw is not None:
                    draws[key] = parse(long.draw, language, replace(scope, draws=True), column.type, bare=True)
                    _check_draw(draws[key], entity, field, language.schema)
    return computed, kept, draws


def _check_kept(node: n.Node, schema: Schema) -> None:
    """A kept field may read its own row and the rows that refer to it, nothing else: so it can be kept."""
    allowed = {"self"}
    for part in n.walk(node):
        if isinstance(part, n.Aggregate):
            if part.rows.base is None or part.rows.base != n.Var(part.rows.base.type, "self"):
                raise ExprError("a kept field may aggregate only over rows that refer to its own row", "use `computed`")
            allowed.add(part.var)
    for part in n.walk(node):
        if isinstance(part, (n.TermCall, n.Obeys)):
            raise ExprError("a kept field cannot use terms or policies", "use `computed`")
        if isinstance(part, n.Var) and part.name not in allowed:
            raise ExprError(f"a kept field cannot read `{part.name}`, which changes by itself", "use `computed`")
        if isinstance(part, n.Field) and part.base.type.kind == "ref" and part.name != "id":
            column = schema.entities[part.base.type.entity].columns[part.name]
            if not column.stored:
                raise ExprError(f"a kept field cannot read `{part.name}`, which is computed", "use `computed`")
        if isinstance(part, n.Field) and not isinstance(part.base, n.Var):
            raise ExprError("a kept field cannot look through a reference", "use `computed`")


def _check_draw(node: n.Node, entity: str, field: str, schema: Schema) -> None:
    """A draw may read only fields declared above it."""
    above = list(schema.entities[entity].columns)
    above = above[: above.index(field)]
    for part in n.walk(node):
        if isinstance(part, n.Field) and part.base == n.Var(part.base.type, "self") and part.name not in (*above, "id"):
            raise ExprError(f"a draw may read only fields declared above it, not `{part.name}`")


def parse_template(text: str, language: Language, scope: Scope) -> n.Format:
    """Parse `the {vendor.name} order over {total:money}` as a typed format."""
    node = parse("f" + repr(text), language, scope, TEXT)
    return node if isinstance(node, n.Format) else n.Format(TEXT, (text,))


def add_seeds(bp: Blueprint, entities: Mapping[str, Entity], report: Reporter) -> dict[str, Entity]:
    """Add given rows in storage form. An entity has at least as many base rows as it is given."""
    given = _read_given(bp, entities, report)
    counts = {name: max(e.rows, len(bp.entities[name].seeds) + len(given[name])) for name, e in entities.items()}
    out: dict[str, Entity] = {}
    for name, entity in entities.items():
        rows: list[Mapping[str, Any]] = []
        seeds = [(("entities", name, f"seeds[{k}]"), row) for k, row in enumerate(bp.entities[name].seeds)]
        for path, row in (*seeds, *((("given", name, f"row {k}"), row) for k, row in enumerate(given[name], start=1))):
            with report.at(*path):
                rows.append({field: _cell(entity, field, value, counts, entities) for field, value in row.items()})
        out[name] = replace(entity, rows=counts[name], seeds=tuple(rows))
    return out


def _read_given(bp: Blueprint, entities: Mapping[str, Entity], report: Reporter) -> dict[str, list[dict[str, Any]]]:
    out: dict[str, list[dict[str, Any]]] = {name: [] for name in entities}
    for name, text in bp.given.items():
        with report.at("given", name):
            if name not in entities:
                report.add(f"no entity is called `{name}`", suggest(name, entities))
                continue
            try:
                out[name] = read_rows(text)
            except ValueError as e:
                report.add(str(e), "one row a line, as JSON")
    total = sum(map(len, out.values()))
    if total > MAX_GIVEN_ROWS:
        with report.at("given"):
            report.add(f"{total:,} rows are given", f"at most {MAX_GIVEN_ROWS:,}")
    return out


def _cell(
    entity: Entity, field: str, value: Any, counts: Mapping[str, int], entities: Mapping[str, Entity]
) -> str | int | None:
    column = entity.columns.get(field)
    if column is None or column.source != "given":
        known = [c.name for c in entity.columns.values() if c.source == "given"]
        raise ExprError(f"`{entity.name}` has no field `{field}` that could be given", suggest(field, known))
    if value is None:
        if not column.optional:
            raise ExprError(f"`{entity.name}.{field}` cannot be none")
        return None
    if column.type.kind == "ref":
        return _row(column, value, counts, entities)
    if column.type.kind == "text" and not isinstance(value, str):
        raise ExprError(f"{value!r} is not text", "quote it")
    if column.type.kind == "text":
        return str(value)
    found = to_stored(value, column.type)
    if found is None and not column.optional:
        raise ExprError(f"`{entity.name}.{field}` cannot be none", "leave it out to have it drawn")
    return int(found) if isinstance(found, bool) else found


def _row(column: Column, value: Any, counts: Mapping[str, int], entities: Mapping[str, Entity]) -> str:
    target = column.type.entity
    most = counts.get(target, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise ExprError(f"{value!r} is no row of `{target}`", f"its number, 1 to {most}")
    return entities[target].key.make(value)
