"""Deeds as operations of a Blueprint. Each action of the evidence is exactly one operation; none is added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.evidence import Operation
from worldwright.anchor.model.attributes import list_input
from worldwright.anchor.model.filters import read_filters
from worldwright.anchor.model.items import paging, record_inputs
from worldwright.anchor.model.lifecycles import target
from worldwright.anchor.model.records import Attribute, Child, Entity, Noun, OperationIntent, Path
from worldwright.anchor.names import fresh, identifier, parts

SENIOR = "supervisor"
"""The role of those who may do everything."""
PRIVILEGES = frozenset({"admin", "administrator", "owner", "superuser", "root", "manage", "delete", "destroy"})
"""Words of scopes that not everybody has."""
LOG = "activity"
"""Where actions leave a trace that change nothing else which is known."""
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
    codec: Mapping[str, Any] = field(default_factory=dict)
    """How the contract writes it, where that does not follow from what it is a value of."""


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
    after: str = ""
    """A field of the record that must not be."""

    @property
    def row(self) -> str:
        """The input that says which record it is about; empty where there is none."""
        own = self.entity.name
        return next((t.name for t in self.takes if t.entity == own and t.attribute is None), "")

    @property
    def owners(self) -> tuple[str, ...]:
        """The inputs that say what the record belongs to: each is called as the field of the record is."""
        if not self.row:
            return ()
        return tuple(t.name for t in self.takes if t.entity and t.attribute is None and t.name != self.row)


def insert_guards(body: Sequence[Statement], statements: Sequence[Statement]) -> list[Statement]:
    """The statements of an operation with more that it has to see to, after what it looks up."""
    found = sum("find" in s for s in body)
    return [*body[:found], *statements, *body[found:]]


def build_operations(entities: Sequence[Entity], system: str) -> tuple[BlueprintOperation, ...]:
    """Every deed as an operation, in order."""
    taken: dict[str, None] = {}
    out: list[BlueprintOperation] = []
    known = _findable(entities)
    for entity in entities:
        for intent in entity.intents:
            name = fresh(identifier(parts(intent.operation.name), "do"), taken)
            taken[name] = None
            out.append(_make_operation(name, intent, entity, entities, known, system))
    return tuple(out)


def _named(noun: Noun, entities: Sequence[Entity]) -> str:
    """The thing that words, or the last of them, are the name of; empty where there is none."""
    ends = [r for r in entities if noun[-len(r.noun) :] == r.noun]
    return max(ends, key=lambda r: len(r.noun)).name if ends else ""


def _findable(entities: Sequence[Entity]) -> set[str]:
    """Things whose ids somebody can find out: some list shows them that asks for nothing but such ids."""
    out: set[str] = set()
    single = {r.name for r in entities if r.single}
    while True:
        more: set[str] = set()
        for r in entities:
            lists = [
                i
                for i in r.intents
                if i.kind == "list" and all(_named(n, entities) in out | single for n, _ in i.under)
            ]
            if lists:
                more |= {r.name} if r.shows_id else set()
                more |= {a.refers_to for a in r.attributes if a.refers_to}
        if more - single <= out:
            return out
        out |= more - single


def _make_operation(
    name: str, intent: OperationIntent, entity: Entity, entities: Sequence[Entity], known: set[str], system: str
) -> BlueprintOperation:
    head: dict[str, Any] = {
        "in": system,
        "says": _says(intent),
        "by": [SENIOR] if is_privileged(intent.operation) else "anyone",
    }
    if intent.operation.source is not None:
        head["source"] = str(intent.operation.source)
    owners = list(_owners(intent, entity, entities, known))
    match intent.kind:
        case "list":
            return _list(name, intent, entity, head, owners)
        case "get" if intent.by and not owners:
            taken = OperationInput(entity.name, (intent.by,), None, entity.name)
            return BlueprintOperation(name, intent, entity, {**head, "get": entity.name, **_with(entity)}, (taken,))
        case "get":
            return _first(name, intent, entity, head, owners)
        case "create":
            return _create(name, intent, entity, head, owners)
        case "update" | "move" | "delete":
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
    intent: OperationIntent, entity: Entity, entities: Sequence[Entity], known: set[str]
) -> Iterator[tuple[str, OperationInput]]:
    """The reference field to each thing that the path names above, and the input for it.

    The account that one works in is not asked for, but where a new record needs it. Where the record itself is named, only
    what somebody can find out counts."""
    for noun, parameter in intent.under:
        name = _named(noun, entities)
        single = any(r.name == name and r.single for r in entities)
        if not name or name == entity.name or (single and intent.kind != "create") or (intent.by and name not in known):
            continue
        column = next(
            (a.name for a in entity.attributes if a.refers_to == name), name if name in entity.parents else ""
        )
        if column and (not intent.by or _tells(column, name, entity, entities)):
            yield column, OperationInput(column, (parameter,), None, name)


def _tells(column: str, owner: str, entity: Entity, entities: Sequence[Entity]) -> bool:
    """Tell whether somebody can find out what a record belongs to: it says so, or those of an owner can be listed."""
    said = any(a.name == column and a.shown for a in entity.attributes)
    return said or any(i.kind == "list" and owner in (_named(n, entities) for n, _ in i.under) for i in entity.intents)


def _find(
    intent: OperationIntent, entity: Entity, owners: Sequence[tuple[str, OperationInput]], row: str
) -> tuple[dict[str, Any], list[OperationInput], list[dict[str, Any]]]:
    """How an operation gets at its record: what it takes, and what it looks up or asks for first.

    By its id, which has to belong to what is named above; by what is named above alone; or it is the only one."""
    takes = {t.name: t.entity for _, t in owners}
    taken = [t for _, t in owners]
    if intent.by:
        body = [
            {
                "require": f"{row}.{column} == {t.name}",
                "else": "NOT_FOUND",
                "says": f"There is no such {' '.join(entity.noun)} there.",
            }
            for column, t in owners
        ]
        return {row: entity.name, **takes}, [OperationInput(row, (intent.by,), None, entity.name), *taken], body
    find: dict[str, Any] = {"find": f"{row} in {entity.name}", "else": "NOT_FOUND"}
    where = " and ".join(f"{row}.{column} == {t.name}" for column, t in owners)
    return takes, taken, [{**find, **({"where": where} if where else {})}]


def _list(
    name: str, intent: OperationIntent, entity: Entity, head: dict[str, Any], owners: list[tuple[str, OperationInput]]
) -> BlueprintOperation:
    used = dict.fromkeys(column for column, _ in owners)
    takes = [t for _, t in owners]
    sorts = dict.fromkeys(f"-{a.name}" for a in entity.attributes if a.kind in ("date", "time"))
    sorts = dict.fromkeys([*list(sorts)[:1], "id"])
    for found in read_filters(intent, entity, list(used)):
        if found.attribute is None:
            orders = {order.removesuffix("_desc"): None for order in found.codec["words"].values()}
            sorts |= {order: None for order in orders if f"-{order}" not in sorts}
        else:
            used[found.attribute.name] = None
        takes += [
            OperationInput(i, (found.parameter.name,), found.attribute, found.refers_to, codec=found.codec)
            for i in found.inputs
        ]
    spec = {**head, "search": entity.name, "filters": list(used), "sort": list(sorts)}
    required = {p.name for p in intent.operation.parameters if p.required}
    needs = [t.name for t in takes if t.at and t.at[0] in required and t.name in used]
    spec |= {"page": paging(intent.operation).size, **_with(entity)} | ({"needs": needs} if needs else {})
    return BlueprintOperation(name, intent, entity, spec, tuple(takes), "rows")


def _with(entity: Entity) -> dict[str, Any]:
    """The lists that a record is shown with."""
    return {"with": [child.way for child in entity.children]} if entity.children else {}


def _first(
    name: str, intent: OperationIntent, entity: Entity, head: dict[str, Any], owners: list[tuple[str, OperationInput]]
) -> BlueprintOperation:
    """The one there is, the first that hangs under what is named, or one of these."""
    row = _row(entity)
    takes, taken, body = _find(intent, entity, owners, row)
    return BlueprintOperation(name, intent, entity, {**head, "takes": takes, "does": body, "gives": row}, tuple(taken))


def _create(
    name: str, intent: OperationIntent, entity: Entity, head: dict[str, Any], owners: list[tuple[str, OperationInput]]
) -> BlueprintOperation:
    takes: dict[str, Any] = {t.name: t.entity for _, t in owners}
    values = {column: t.name for column, t in owners}
    taken = [t for _, t in owners]
    for attribute, at, required in _values(intent, entity):
        if attribute.name in values or attribute.kind == "state":
            continue
        takes[attribute.name] = input_type(attribute, required, new=True)
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
    takes, taken, body = _find(intent, entity, owners, row)
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
    state = entity.state if intent.kind == "move" else None
    goal = target(intent.verb, state.words.values()) if state is not None else ""
    must = {one.at for one in record_inputs(intent) if one.field.required and len(one.at) == 1}
    for attribute, at, _ in _values(intent, entity):
        if attribute.name in takes or (attribute.kind == "state" and goal):
            continue
        takes[attribute.name] = input_type(attribute, at in must)
        taken.append(OperationInput(attribute.name, at, attribute, attribute.refers_to))
        if attribute.kind == "state":
            body.append(
                {"when": f"{attribute.name} is not none", "do": [{"set": {f"{row}.{attribute.name}": attribute.name}}]}
            )
        else:
            sets[f"{row}.{attribute.name}"] = f"coalesce({attribute.name}, {row}.{attribute.name})"
    fields: dict[str, str] = {}
    lists = list(_lists(intent, entity))
    said = bool(sets) or bool(lists) or any("when" in s for s in body)
    if intent.kind == "move" or not said:
        if goal and state is not None:
            sets[f"{row}.{state.name}"] = goal
        else:
            deed = intent.verb[:2] or (*(parts(intent.part[-1])[:2] if intent.part else ()), "changed")
            stamp = fresh(identifier((*deed, "at"), "done"), {a.name for a in entity.attributes})
            fields[stamp] = "time?"
            sets[f"{row}.{stamp}"] = "now"
    body += [{"set": sets}] if sets else []
    for child, at in lists:
        takes[child.way], taken = _list_input(child), [*taken, OperationInput(child.way, at, child=child)]
        new = [{"each": f"part in {row}.{child.way}", "do": [{"remove": "part"}]}, _filled(child, row)]
        body.append({"when": f"exists(element for element in {child.way})", "do": new})
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
            yield attribute, one.at, one.field.required and (len(one.at) == 1 or not attribute.optional)


def input_type(attribute: Attribute, required: bool, new: bool = False) -> Any:
    """The type of an input with its bounds, and for a `new` record what it is where nobody says."""
    mark = "" if required else "?"
    plain = {"decimal": "decimal(2)", "money": "money", "int": "int", "bool": "bool", "date": "date", "time": "time"}
    shape, more = attribute.shape, dict[str, Any]()
    if attribute.kind in ("words", "state"):
        kind = f"one of {', '.join(attribute.words.values())}{mark}"
        default = attribute.words.get(str(shape.default))
        more = {"default": repr(default)} if new and mark and default else {}
    elif attribute.kind == "ref":
        kind = f"{attribute.refers_to}{mark}"
    else:
        kind = f"{plain.get(attribute.kind, 'text')}{mark}"
        more = _limits(attribute)
        if new and mark and attribute.kind == "int" and isinstance(shape.default, int) and _within(shape.default, more):
            more["default"] = str(shape.default)
        elif new and mark and attribute.kind == "bool" and isinstance(shape.default, bool):
            more["default"] = str(shape.default).lower()
    if "default" in more:
        kind = kind.removesuffix("?")
    source = {"source": str(attribute.source)} if attribute.said.text and attribute.source is not None else {}
    return {"type": kind, **more, **source} if more or source else kind


def _limits(attribute: Attribute) -> dict[str, Any]:
    shape = attribute.shape
    if attribute.kind in ("int", "decimal"):
        both = (("min", shape.minimum), ("max", shape.maximum))
        return {k: int(v) for k, v in both if v is not None and abs(v) < FAR and v == int(v)}
    if attribute.kind == "text" and shape.longest is not None and 0 < shape.longest < FAR:
        return {"max": shape.longest}
    return {}


def _within(value: int, limits: Mapping[str, Any]) -> bool:
    return not isinstance(value, bool) and limits.get("min", value) <= value <= limits.get("max", value)


def extra_fields(made: Iterable[BlueprintOperation]) -> dict[str, dict[str, str]]:
    """By thing, the fields that operations need beside its own."""
    out: dict[str, dict[str, str]] = {}
    for one in made:
        out.setdefault(one.entity.name, {}).update(one.fields)
    return out
