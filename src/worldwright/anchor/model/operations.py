"""Deeds as operations of a Blueprint. Each action of the evidence is exactly one operation; none is added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.evidence import Operation
from worldwright.anchor.model.attributes import list_input
from worldwright.anchor.model.intents import OperationIntent
from worldwright.anchor.model.items import paging, record_inputs
from worldwright.anchor.model.lifecycles import target
from worldwright.anchor.model.records import Attribute, Child, Entity, Path
from worldwright.anchor.names import fresh, identifier, parts

SENIOR = "supervisor"
"""The role of those who may do everything."""
PRIVILEGES = frozenset({"admin", "administrator", "owner", "superuser", "root", "manage", "delete", "destroy"})
"""Words of scopes that not everybody has."""
LOG = "activity"
"""Where actions leave a trace that change nothing else which is known."""
FILTERS = frozenset({"ref", "words", "state", "bool", "text"})
MAX_FILTERS = 12
FAR = 10**9


Statement = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OperationInput:
    """An input of an operation, and the argument that it comes from."""

    name: str
    at: Path
    attribute: Attribute | None = None
    """What it is a value of; None for an id."""
    entity: str = ""
    """Of an id: which thing."""
    child: Child | None = None
    """Of a list: the table that its elements go to."""


@dataclass(frozen=True, slots=True)
class BlueprintOperation:
    """An operation as it was made for a deed."""

    name: str
    intent: OperationIntent
    entity: Entity
    spec: Mapping[str, Any]
    takes: tuple[OperationInput, ...] = ()
    gives: str = "row"
    """What its result is: row, rows, or nothing"""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Fields that it needs on its thing, with their types."""
    logs: bool = False
    """Whether it leaves a trace in the log."""
    unless: tuple[str, ...] = ()
    """Fields of the record that must be empty for it to be possible."""

    @property
    def row(self) -> str:
        """The input that says which record it is about; empty where there is none."""
        own = self.entity.name
        return next((t.name for t in self.takes if t.entity == own and t.attribute is None), "")


def insert_guards(body: Sequence[Statement], statements: Sequence[Statement]) -> list[Statement]:
    """The statements of an operation with more that it has to see to, after what it looks up."""
    found = sum("find" in s for s in body)
    return [*body[:found], *statements, *body[found:]]


def build_operations(entities: Sequence[Entity], system: str) -> tuple[BlueprintOperation, ...]:
    """Every deed as an operation, in order."""
    taken: dict[str, None] = {}
    out: list[BlueprintOperation] = []
    by_name = {r.name: r for r in entities}
    for entity in entities:
        for intent in entity.intents:
            name = fresh(identifier(parts(intent.operation.name), "do"), taken)
            taken[name] = None
            out.append(_make_operation(name, intent, entity, by_name, system))
    return tuple(out)


def _make_operation(
    name: str, intent: OperationIntent, entity: Entity, resources: Mapping[str, Entity], system: str
) -> BlueprintOperation:
    head: dict[str, Any] = {
        "in": system,
        "says": _says(intent),
        "by": [SENIOR] if is_privileged(intent.operation) else "anyone",
    }
    if intent.operation.source is not None:
        head["source"] = str(intent.operation.source)
    owners = list(_owners(intent, entity, resources))
    match intent.kind:
        case "list":
            return _list(name, intent, entity, head, owners)
        case "get" if intent.by:
            row = OperationInput(_row(entity), (intent.by,), None, entity.name)
            return BlueprintOperation(
                name,
                intent,
                entity,
                {**head, "get": entity.name, **_with(entity)},
                (OperationInput(entity.name, row.at, None, entity.name),),
            )
        case "get":
            return _first(name, intent, entity, head, owners)
        case "create":
            return _create(name, intent, entity, head, owners)
        case "update" | "move" | "delete" if intent.by or owners:
            return _change(name, intent, entity, head, owners)
    return _log(name, intent, entity, head)


def is_privileged(operation: Operation) -> bool:
    """Tell whether every scope that an operation accepts is one that few people have."""
    return bool(operation.scopes) and all(PRIVILEGES & set(parts(scope)) for scope in operation.scopes)


def _says(intent: OperationIntent) -> str:
    flat = " ".join((intent.operation.says or intent.operation.title or intent.operation.name).split())
    return flat if len(flat) <= 400 else flat[:397].rsplit(" ", 1)[0] + "..."


def _row(entity: Entity) -> str:
    """Return what an operation calls the record that it is about."""
    return entity.name if all(a.name != entity.name for a in entity.attributes) else f"this_{entity.name}"


def _owners(
    intent: OperationIntent, entity: Entity, resources: Mapping[str, Entity]
) -> Iterator[tuple[str, OperationInput]]:
    """The reference field to each thing that the path names above, and the input for it."""
    for noun, parameter in intent.under:
        name = identifier(noun, "thing")
        if name not in resources or name == entity.name:
            continue
        column = next(
            (a.name for a in entity.attributes if a.refers_to == name), name if name in entity.parents else ""
        )
        if column:
            yield column, OperationInput(column, (parameter,), None, name)


def _list(
    name: str, intent: OperationIntent, entity: Entity, head: dict[str, Any], owners: list[tuple[str, OperationInput]]
) -> BlueprintOperation:
    used = dict.fromkeys(column for column, _ in owners)
    takes = [t for _, t in owners]
    for p in intent.operation.parameters:
        words = parts(p.name)
        found = entity.attribute((p.name,)) or next((a for a in entity.attributes if a.name == "_".join(words)), None)
        unknown = found is not None and found.kind == "text" and p.required
        if found is None or unknown:
            continue  # nobody could know what to say there
        if found.kind in FILTERS and found.name not in used and len(used) < MAX_FILTERS:
            used[found.name] = None
            takes.append(OperationInput(found.name, (p.name,), found, found.refers_to))
    sort = [f"-{a.name}" for a in entity.attributes if a.kind in ("date", "time")][:1]
    spec = {**head, "search": entity.name, "filters": list(used), "sort": [*sort, "id"]}
    required = {p.name for p in intent.operation.parameters if p.required}
    needs = [t.name for t in takes if t.at and t.at[0] in required]
    spec |= {"page": paging(intent.operation).size, **_with(entity)} | ({"needs": needs} if needs else {})
    return BlueprintOperation(name, intent, entity, spec, tuple(takes), "rows")


def _with(entity: Entity) -> dict[str, Any]:
    """The lists that a record is shown with."""
    return {"with": [child.way for child in entity.children]} if entity.children else {}


def _first(
    name: str, intent: OperationIntent, entity: Entity, head: dict[str, Any], owners: list[tuple[str, OperationInput]]
) -> BlueprintOperation:
    """The one there is, or the first that hangs under what is named."""
    where = " and ".join(f"row.{column} == {t.name}" for column, t in owners)
    find: dict[str, Any] = {"find": f"row in {entity.name}", "else": "NOT_FOUND"}
    if where:
        find["where"] = where.replace("row.", "")
    takes = {t.name: t.entity for _, t in owners}
    body = [{**find, **({"where": " and ".join(f"row.{c} == {t.name}" for c, t in owners)} if owners else {})}]
    return BlueprintOperation(
        name, intent, entity, {**head, "takes": takes, "does": body, "gives": "row"}, tuple(t for _, t in owners)
    )


def _create(
    name: str, intent: OperationIntent, entity: Entity, head: dict[str, Any], owners: list[tuple[str, OperationInput]]
) -> BlueprintOperation:
    takes: dict[str, Any] = {t.name: t.entity for _, t in owners}
    values = {column: t.name for column, t in owners}
    taken = [t for _, t in owners]
    for attribute, at, required in _values(intent, entity):
        if attribute.name in values or attribute.kind == "state":
            continue
        takes[attribute.name] = input_type(attribute, required)
        values[attribute.name] = attribute.name
        taken.append(OperationInput(attribute.name, at, attribute, attribute.refers_to))
    for _, parameter in intent.under:
        above = entity.attribute((parameter,))
        if above is not None and above.name not in values:
            takes[above.name] = input_type(above, not above.optional)
            values[above.name] = above.name
            taken.append(OperationInput(above.name, (parameter,), above, above.refers_to))
    for a in entity.attributes:
        if (
            a.name not in values
            and a.kind in ("date", "time")
            and parts(a.path[-1])[:1] in (("created",), ("date",), ("opened",))
        ):
            values[a.name] = "now" if a.kind == "time" else "today"
    body: list[dict[str, Any]] = [{"add": entity.name, "with": values, "as": "row"}]
    for child, at in _lists(intent, entity):
        takes[child.way], taken = _list_input(child), [*taken, OperationInput(child.way, at, child=child)]
        body.append(_filled(child, "row"))
    return BlueprintOperation(
        name, intent, entity, {**head, "takes": takes, "does": body, "gives": "row"}, tuple(taken)
    )


def _list_input(child: Child) -> dict[str, Any]:
    return list_input(child, {a.name: input_type(a, not a.optional) for a in child.attributes if a.given})


def _filled(child: Child, row: str) -> dict[str, Any]:
    """The elements of a list as rows of a record."""
    values = {a.name: f"element.{a.name}" for a in child.attributes if a.given}
    return {"each": f"element in {child.way}", "do": [{"add": child.name, "with": {child.owner: row, **values}}]}


def _lists(intent: OperationIntent, entity: Entity) -> Iterator[tuple[Child, Path]]:
    """The lists that a deed is told, each with its place in the arguments."""
    told = {one.path: one.at for one in record_inputs(intent)}
    for child in entity.children:
        if child.path in told and any(a.given for a in child.attributes):
            yield child, told[child.path]


def _change(
    name: str, intent: OperationIntent, entity: Entity, head: dict[str, Any], owners: list[tuple[str, OperationInput]]
) -> BlueprintOperation:
    row = _row(entity)
    takes: dict[str, Any] = {row: entity.name} if intent.by else {t.name: t.entity for _, t in owners}
    taken = [OperationInput(row, (intent.by,), None, entity.name)] if intent.by else [t for _, t in owners]
    body: list[dict[str, Any]] = []
    if not intent.by:
        where = " and ".join(f"{row}.{c} == {t.name}" for c, t in owners)
        body.append({"find": f"{row} in {entity.name}", "where": where, "else": "NOT_FOUND"})
    if intent.kind == "delete":
        return BlueprintOperation(
            name,
            intent,
            entity,
            {**head, "takes": takes, "does": [*body, *_emptied(entity, row), {"remove": row}]},
            tuple(taken),
            "nothing",
        )
    sets: dict[str, str] = {}
    must = {one.at for one in record_inputs(intent) if one.field.required and len(one.at) == 1}
    for attribute, at, _ in _values(intent, entity):
        takes[attribute.name] = input_type(attribute, at in must)
        taken.append(OperationInput(attribute.name, at, attribute, attribute.refers_to))
        if attribute.kind == "state":
            body.append(
                {"when": f"{attribute.name} is not none", "do": [{"set": {f"{row}.{attribute.name}": attribute.name}}]}
            )
        else:
            sets[f"{row}.{attribute.name}"] = f"coalesce({attribute.name}, {row}.{attribute.name})"
    fields: dict[str, str] = {}
    if intent.kind == "move":
        goal = target(intent.verb, entity.state.words.values()) if entity.state is not None else ""
        if goal and entity.state is not None:
            sets[f"{row}.{entity.state.name}"] = goal
        else:
            stamp = fresh(identifier((*intent.verb[:2], "at"), "done"), {a.name for a in entity.attributes})
            fields[stamp] = "time?"
            sets[f"{row}.{stamp}"] = "now"
    body += [{"set": sets}] if sets else []
    for child, at in _lists(intent, entity) if intent.kind == "update" else ():
        takes[child.way], taken = _list_input(child), [*taken, OperationInput(child.way, at, child=child)]
        new = [{"each": f"part in {row}.{child.way}", "do": [{"remove": "part"}]}, _filled(child, row)]
        body.append({"when": f"exists(element for element in {child.way})", "do": new})
    if not body or all("find" in b for b in body):
        return _log(name, intent, entity, head)
    return BlueprintOperation(
        name, intent, entity, {**head, "takes": takes, "does": body, "gives": row}, tuple(taken), "row", fields
    )


def _emptied(entity: Entity, row: str) -> list[dict[str, Any]]:
    """Return what stands inside of a record goes with it."""
    return [{"each": f"part in {row}.{child.way}", "do": [{"remove": "part"}]} for child in entity.children]


def _log(name: str, intent: OperationIntent, entity: Entity, head: dict[str, Any]) -> BlueprintOperation:
    body = [{"add": LOG, "with": {"action": f"'{name}'", "happened_at": "now"}, "as": "row"}]
    return BlueprintOperation(name, intent, entity, {**head, "does": body, "gives": "row"}, (), "nothing", logs=True)


def _values(intent: OperationIntent, entity: Entity) -> Iterator[tuple[Attribute, Path, bool]]:
    """The attributes that a deed is told, each with its place in the arguments."""
    for one in record_inputs(intent):
        attribute = entity.attribute(one.path)
        if attribute is not None:
            yield attribute, one.at, one.field.required and not attribute.optional


def input_type(attribute: Attribute, required: bool) -> Any:
    mark = "" if required else "?"
    plain = {"decimal": "decimal(2)", "money": "money", "int": "int", "bool": "bool", "date": "date", "time": "time"}
    if attribute.kind in ("words", "state"):
        return f"one of {', '.join(attribute.words.values())}{mark}"
    if attribute.kind == "ref":
        return f"{attribute.refers_to}{mark}"
    kind, shape = f"{plain.get(attribute.kind, 'text')}{mark}", attribute.shape
    limits: dict[str, Any] = {}
    if attribute.kind in ("int", "decimal"):
        least, most = shape.minimum, shape.maximum
        limits = {
            k: int(v) for k, v in (("min", least), ("max", most)) if v is not None and abs(v) < FAR and v == int(v)
        }
    elif attribute.kind == "text" and shape.longest is not None and 0 < shape.longest < FAR:
        limits = {"max": shape.longest}
    return {"type": kind, **limits} if limits else kind


def extra_fields(made: Iterable[BlueprintOperation]) -> dict[str, dict[str, str]]:
    """By thing, the fields that operations need beside its own."""
    out: dict[str, dict[str, str]] = {}
    for one in made:
        out.setdefault(one.entity.name, {}).update(one.fields)
    return out
