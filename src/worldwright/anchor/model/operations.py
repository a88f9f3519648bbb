"""Deeds as operations of a Blueprint. Each operation of the evidence is exactly one operation here; none is added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.model.filters import read_filters
from worldwright.anchor.model.items import paging, record_inputs
from worldwright.anchor.model.lifecycles import target
from worldwright.anchor.model.records import Attribute, Child, Entity, Noun, OperationIntent, Path
from worldwright.anchor.names import fresh, identifier, parts

SYSTEM = "service"
FAR = 10**9
PLAIN = {"decimal": "decimal(2)", "money": "money", "int": "int", "bool": "bool", "date": "date", "time": "time"}

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
    demands: tuple[str, ...] = ()
    """What the record must be like for it to be possible: `cancelled_at is none`."""

    @property
    def row(self) -> str:
        """The input that says which record it is about; empty where there is none."""
        own = self.entity.name
        return next((t.name for t in self.takes if t.entity == own and t.attribute is None), "")

    @property
    def owners(self) -> tuple[str, ...]:
        """The inputs that say what the record belongs to: each is called as the field of the record is."""
        named = (t.name for t in self.takes if t.entity and t.attribute is None and t.name != self.row)
        return tuple(named) if self.row else ()

    @property
    def needed(self) -> tuple[str, ...]:
        """The inputs that have to be given."""
        kinds = {
            n: k.get("type", "list?") if isinstance(k, Mapping) else k for n, k in self.spec.get("takes", {}).items()
        }
        return tuple(n for n, kind in kinds.items() if not kind.endswith("?"))

    @property
    def logs(self) -> bool:
        """Whether it only leaves a trace: records of it are made without a word, and nothing else is done with them."""
        return not self.takes and all(i.kind in ("create", "other") for i in self.entity.intents)


def insert_guards(body: Sequence[Statement], statements: Sequence[Statement]) -> list[Statement]:
    """The statements of an operation with more that it has to see to, after what it looks up."""
    found = sum("find" in s for s in body)
    return [*body[:found], *statements, *body[found:]]


def build_operations(entities: Sequence[Entity]) -> tuple[BlueprintOperation, ...]:
    """Every deed as an operation, in order."""
    taken: dict[str, None] = {}
    known = _findable(entities)
    out: list[BlueprintOperation] = []
    for entity in entities:
        for intent in entity.intents:
            name = fresh(identifier(parts(intent.operation.name), "do"), taken)
            taken[name] = None
            out.append(_Deed(name, intent, entity, tuple(_owners(intent, entity, entities, known))).made())
    return tuple(out)


def _named(noun: Noun, entities: Sequence[Entity]) -> str:
    """The thing that words, or the last of them, are the name of; empty where there is none."""
    ends = [r for r in entities if noun[-len(r.noun) :] == r.noun]
    return max(ends, key=lambda r: len(r.noun)).name if ends else ""


def _findable(entities: Sequence[Entity]) -> set[str]:
    """Things whose ids somebody can find out: some list shows them that asks for nothing but such ids."""
    out = single = {r.name for r in entities if r.single}
    while True:
        listed = [r for r in entities if any(_owner_names(i, entities) <= out for i in r.intents if i.kind == "list")]
        more = {r.name for r in listed if r.shows_id}
        more |= {a.refers_to for r in listed for a in r.attributes if a.refers_to}
        if more <= out:
            return out - single
        out = out | more


def _owner_names(intent: OperationIntent, entities: Sequence[Entity]) -> set[str]:
    return {_named(noun, entities) for noun, _ in intent.under}


def _owners(
    intent: OperationIntent, entity: Entity, entities: Sequence[Entity], known: set[str]
) -> Iterator[OperationInput]:
    """What is named above, each called as the field of the record is that refers to it.

    The account that one works in is not asked for, but where a new record needs it. Where the record itself is named, only
    what somebody can find out counts: the record says it, or those of an owner can be listed."""
    for noun, parameter in intent.under:
        name = _named(noun, entities)
        single = any(r.name == name and r.single for r in entities)
        if not name or name == entity.name or (single and intent.kind != "create"):
            continue
        refers = next((a for a in entity.attributes if a.refers_to == name), None)
        listed = any(i.kind == "list" and name in _owner_names(i, entities) for i in entity.intents)
        column = refers.name if refers is not None else name if name in entity.parents else ""
        if column and (not intent.by or (name in known and (listed or (refers is not None and refers.shown)))):
            yield OperationInput(column, (parameter,), None, name)


@dataclass(frozen=True, slots=True)
class _Deed:
    """A deed on its way to an operation."""

    name: str
    intent: OperationIntent
    entity: Entity
    owners: tuple[OperationInput, ...]

    def made(self) -> BlueprintOperation:
        intent, entity = self.intent, self.entity
        if intent.kind == "list":
            return self._list()
        if intent.kind == "get" and intent.by and (not self.owners or entity.children):
            own = OperationInput(entity.name, (intent.by,), None, entity.name)
            return self._operation({"get": entity.name, **self._with()}, [own])
        return self._create() if intent.kind in ("create", "other") else self._change()

    def _operation(
        self,
        spec: Mapping[str, Any],
        takes: Iterable[OperationInput],
        gives: str = "row",
        fields: Mapping[str, str] | None = None,
    ) -> BlueprintOperation:
        operation = self.intent.operation
        says = shorten(operation.says or operation.title or operation.name, 400)
        source = {"source": str(operation.source)} if operation.source is not None else {}
        spec = {"in": SYSTEM, "says": says, "by": "anyone", **source, **spec}
        return BlueprintOperation(self.name, self.intent, self.entity, spec, tuple(takes), gives, fields or {})

    def _with(self) -> dict[str, Any]:
        """The lists that a record is shown with."""
        return {"with": [child.way for child in self.entity.children]} if self.entity.children else {}

    def _list(self) -> BlueprintOperation:
        entity, operation, takes = self.entity, self.intent.operation, list(self.owners)
        used = dict.fromkeys(t.name for t in takes)
        dated = [f"-{a.name}" for a in entity.attributes if a.kind in ("date", "time")]
        sorts = dict.fromkeys([*dated[:1], "id"])
        for found in read_filters(self.intent, entity, list(used)):
            if found.attribute is None:
                orders = (order.removesuffix("_desc") for order in found.codec["words"].values())
                sorts |= dict.fromkeys(order for order in orders if f"-{order}" not in sorts)
            else:
                used[found.attribute.name] = None
            at = (found.parameter.name,)
            takes += [OperationInput(i, at, found.attribute, found.refers_to, codec=found.codec) for i in found.inputs]
        required = {p.name for p in operation.parameters if p.required}
        needs = [t.name for t in takes if t.at[0] in required and t.name in used]
        spec = {"search": entity.name, "filters": list(used), "sort": list(sorts), "page": paging(operation).size}
        return self._operation({**spec, **self._with(), **({"needs": needs} if needs else {})}, takes, "rows")

    def _create(self) -> BlueprintOperation:
        entity, intent, taken = self.entity, self.intent, list(self.owners)
        takes: dict[str, Any] = {t.name: t.entity for t in taken}
        said = [(a, at, must) for a, at, must in _values(intent, entity) if a.kind != "state"]
        above = [(entity.attribute((parameter,)), (parameter,)) for _, parameter in intent.under]
        said += [(a, at, not a.optional) for a, at in above if a is not None]
        for a, at, required in said:
            if a.name not in takes:
                takes[a.name] = input_type(a, required, new=True)
                taken.append(OperationInput(a.name, at, a, a.refers_to))
        values = {name: name for name in takes}
        for a in entity.attributes:
            if a.kind in ("date", "time") and parts(a.last)[:1] in (("created",), ("date",), ("opened",)):
                values.setdefault(a.name, "now" if a.kind == "time" else "today")
        body: list[dict[str, Any]] = [{"add": entity.name, "with": values, "as": "row"}]
        for child, at in _lists(intent, entity):
            takes[child.way], filled = _list_parts(child, "row")
            taken.append(OperationInput(child.way, at, child=child))
            body.append(filled)
        return self._operation({"takes": takes, "does": body, "gives": "row"}, taken)

    def _find(self, row: str) -> tuple[dict[str, Any], list[OperationInput], list[dict[str, Any]]]:
        """What an operation takes to get at its record, and what it looks up or asks for first.

        By its id, and then it has to belong to what is named above; by what is named above alone; or it is the only one."""
        takes, taken = {t.name: t.entity for t in self.owners}, list(self.owners)
        same = [f"{row}.{t.name} == {t.name}" for t in self.owners]
        if self.intent.by:
            says = f"There is no such {' '.join(self.entity.noun)} there."
            body = [{"require": one, "else": "NOT_FOUND", "says": says} for one in same]
            own = OperationInput(row, (self.intent.by,), None, self.entity.name)
            return {row: self.entity.name, **takes}, [own, *taken], body
        where = {"where": " and ".join(same)} if same else {}
        return takes, taken, [{"find": f"{row} in {self.entity.name}", **where, "else": "NOT_FOUND"}]

    def _change(self) -> BlueprintOperation:
        """One record found, and shown, changed, moved on or removed."""
        entity, intent = self.entity, self.intent
        row = entity.name if all(a.name != entity.name for a in entity.attributes) else f"this_{entity.name}"
        takes, taken, body = self._find(row)
        if intent.kind == "get":
            return self._operation({"takes": takes, "does": body, "gives": row}, taken)
        if intent.kind == "delete":
            inside = [_emptied(child, row) for child in entity.children]
            return self._operation({"takes": takes, "does": [*body, *inside, {"remove": row}]}, taken, "nothing")
        state = entity.state if intent.kind == "move" else None
        goal = target(intent.verb, state.words.values()) if state is not None else ""
        sets: dict[str, str] = {}
        for a, at, required in _values(intent, entity):
            if a.name in takes or (a.kind == "state" and goal):
                continue
            takes[a.name] = input_type(a, required and len(at) == 1)
            taken.append(OperationInput(a.name, at, a, a.refers_to))
            if a.kind == "state":
                body.append({"when": f"{a.name} is not none", "do": [{"set": {f"{row}.{a.name}": a.name}}]})
            else:
                sets[f"{row}.{a.name}"] = f"coalesce({a.name}, {row}.{a.name})"
        fields: dict[str, str] = {}
        lists = list(_lists(intent, entity))
        if goal and state is not None:
            sets[f"{row}.{state.name}"] = goal
        elif intent.kind == "move" or not (sets or lists or any("when" in s for s in body)):
            deed = intent.verb[:2] or (*(parts(intent.part[-1])[:2] if intent.part else ()), "changed")
            stamp = fresh(identifier((*deed, "at"), "done"), {a.name for a in entity.attributes})
            fields[stamp], sets[f"{row}.{stamp}"] = "time?", "now"
        body += [{"set": sets}] if sets else []
        for child, at in lists:
            takes[child.way], filled = _list_parts(child, row)
            taken.append(OperationInput(child.way, at, child=child))
            body.append({"when": f"exists(element for element in {child.way})", "do": [_emptied(child, row), filled]})
        return self._operation({"takes": takes, "does": body, "gives": row}, taken, "row", fields)


def _emptied(child: Child, row: str) -> dict[str, Any]:
    return {"each": f"part in {row}.{child.way}", "do": [{"remove": "part"}]}


def _list_parts(child: Child, row: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A list as an input, and its elements as rows of a record."""
    given = [a for a in child.attributes if a.given]
    add = {"add": child.name, "with": {child.owner: row, **{a.name: f"element.{a.name}" for a in given}}}
    taken = {"list": {a.name: input_type(a, not a.optional) for a in given}, "min": 0, "max": 20}
    return taken, {"each": f"element in {child.way}", "do": [add]}


def _lists(intent: OperationIntent, entity: Entity) -> Iterator[tuple[Child, Path]]:
    """The lists that a deed is told, each with its place in the arguments."""
    told = {one.path: one.at for one in record_inputs(intent)}
    for child in entity.children:
        if child.path in told and any(a.given for a in child.attributes):
            yield child, told[child.path]


def _values(intent: OperationIntent, entity: Entity) -> Iterator[tuple[Attribute, Path, bool]]:
    """The attributes that a deed is told, each with its place in the arguments, and whether it has to be."""
    for one in record_inputs(intent):
        attribute = entity.attribute(one.path)
        if attribute is not None:
            yield attribute, one.at, one.field.required and (len(one.at) == 1 or not attribute.optional)


def input_type(attribute: Attribute, required: bool, new: bool = False) -> Any:
    """The type of an input with its bounds, and for a `new` record what it is where nobody says."""
    shape, kind, default = attribute.shape, PLAIN.get(attribute.kind, "text"), ""
    more: dict[str, Any] = {}
    if attribute.kind in ("words", "state"):
        kind = f"one of {', '.join(attribute.words.values())}"
        default = repr(attribute.words.get(str(shape.default), ""))
    elif attribute.kind == "ref":
        kind = attribute.refers_to
    elif attribute.kind == "bool":
        default = str(shape.default).lower() if isinstance(shape.default, bool) else ""
    elif attribute.kind in ("int", "decimal"):
        both = (("min", shape.minimum), ("max", shape.maximum))
        more = {k: int(v) for k, v in both if v is not None and abs(v) < FAR and v == int(v)}
        said = shape.default if type(shape.default) is int and attribute.kind == "int" else None
        default = str(said) if said is not None and more.get("min", said) <= said <= more.get("max", said) else ""
    elif attribute.kind == "text" and shape.longest is not None and 0 < shape.longest < FAR:
        more = {"max": shape.longest}
    if new and not required and default not in ("", "''"):
        more["default"] = default
    source = {"source": str(attribute.source)} if attribute.said.text and attribute.source is not None else {}
    kind += "" if required or "default" in more else "?"
    return {"type": kind, **more, **source} if more or source else kind


def shorten(text: str, longest: int) -> str:
    """A text on one line, cut after a word."""
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 3].rsplit(" ", 1)[0] + "..."
