"""Deeds as operations of a Blueprint. Each action of the evidence is exactly one operation; none is added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldwright.anchor.evidence import Action
from worldwright.anchor.model.children import list_input
from worldwright.anchor.model.deeds import Deed
from worldwright.anchor.model.inputs import said
from worldwright.anchor.model.lifecycles import target
from worldwright.anchor.model.paging import paging
from worldwright.anchor.model.records import Attribute, Child, Path, Resource
from worldwright.anchor.names import fresh, identifier, parts

SENIOR = "supervisor"
"""The role of those who may do everything."""
PRIVILEGES = frozenset({"admin", "administrator", "owner", "superuser", "root", "manage", "delete", "destroy"})
"""Words of scopes that not everybody has."""
LOG = "activity"
"""Where actions leave a trace that change nothing else which is known."""
FILTERS = frozenset({"ref", "words", "state", "bool", "text"})
MOST_FILTERS = 12
FAR = 10**9


Statement = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Taken:
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
class Made:
    """An operation as it was made for a deed."""

    name: str
    deed: Deed
    resource: Resource
    spec: Mapping[str, Any]
    takes: tuple[Taken, ...] = ()
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
        own = self.resource.name
        return next((t.name for t in self.takes if t.entity == own and t.attribute is None), "")


def guarded(body: Sequence[Statement], statements: Sequence[Statement]) -> list[Statement]:
    """The statements of an operation with more that it has to see to, after what it looks up."""
    found = sum("find" in s for s in body)
    return [*body[:found], *statements, *body[found:]]


def operations(resources: Sequence[Resource], system: str) -> tuple[Made, ...]:
    """Every deed as an operation, in order."""
    taken: dict[str, None] = {}
    out: list[Made] = []
    by_name = {r.name: r for r in resources}
    for resource in resources:
        for deed in resource.deeds:
            name = fresh(identifier(parts(deed.action.name), "do"), taken)
            taken[name] = None
            out.append(_made(name, deed, resource, by_name, system))
    return tuple(out)


def _made(name: str, deed: Deed, resource: Resource, things: Mapping[str, Resource], system: str) -> Made:
    head: dict[str, Any] = {"in": system, "says": _says(deed), "by": [SENIOR] if privileged(deed.action) else "anyone"}
    if deed.action.source is not None:
        head["source"] = str(deed.action.source)
    owners = list(_owners(deed, resource, things))
    match deed.kind:
        case "list":
            return _list(name, deed, resource, head, owners)
        case "get" if deed.by:
            row = Taken(_row(resource), (deed.by,), None, resource.name)
            return Made(
                name,
                deed,
                resource,
                {**head, "get": resource.name, **_with(resource)},
                (Taken(resource.name, row.at, None, resource.name),),
            )
        case "get":
            return _first(name, deed, resource, head, owners)
        case "create":
            return _create(name, deed, resource, head, owners)
        case "update" | "move" | "delete" if deed.by or owners:
            return _change(name, deed, resource, head, owners)
    return _log(name, deed, resource, head)


def privileged(action: Action) -> bool:
    """Whether every scope that an operation accepts is one that few people have."""
    return bool(action.scopes) and all(PRIVILEGES & set(parts(scope)) for scope in action.scopes)


def _says(deed: Deed) -> str:
    flat = " ".join((deed.action.says or deed.action.title or deed.action.name).split())
    return flat if len(flat) <= 400 else flat[:397].rsplit(" ", 1)[0] + "..."


def _row(resource: Resource) -> str:
    """What an operation calls the record that it is about."""
    return resource.name if all(a.name != resource.name for a in resource.attributes) else f"this_{resource.name}"


def _owners(deed: Deed, resource: Resource, things: Mapping[str, Resource]) -> Iterator[tuple[str, Taken]]:
    """The reference field to each thing that the path names above, and the input for it."""
    for noun, parameter in deed.under:
        name = identifier(noun, "thing")
        if name not in things or name == resource.name:
            continue
        column = next(
            (a.name for a in resource.attributes if a.refers_to == name), name if name in resource.parents else ""
        )
        if column:
            yield column, Taken(column, (parameter,), None, name)


def _list(name: str, deed: Deed, resource: Resource, head: dict[str, Any], owners: list[tuple[str, Taken]]) -> Made:
    used = dict.fromkeys(column for column, _ in owners)
    takes = [t for _, t in owners]
    for p in deed.action.parameters:
        words = parts(p.name)
        found = resource.attribute((p.name,)) or next(
            (a for a in resource.attributes if a.name == "_".join(words)), None
        )
        unknown = found is not None and found.kind == "text" and p.required
        if found is None or unknown:
            continue  # nobody could know what to say there
        if found.kind in FILTERS and found.name not in used and len(used) < MOST_FILTERS:
            used[found.name] = None
            takes.append(Taken(found.name, (p.name,), found, found.refers_to))
    sort = [f"-{a.name}" for a in resource.attributes if a.kind in ("date", "time")][:1]
    spec = {**head, "search": resource.name, "filters": list(used), "sort": [*sort, "id"]}
    required = {p.name for p in deed.action.parameters if p.required}
    needs = [t.name for t in takes if t.at and t.at[0] in required]
    spec |= {"page": paging(deed.action).size, **_with(resource)} | ({"needs": needs} if needs else {})
    return Made(name, deed, resource, spec, tuple(takes), "rows")


def _with(resource: Resource) -> dict[str, Any]:
    """The lists that a record is shown with."""
    return {"with": [child.way for child in resource.children]} if resource.children else {}


def _first(name: str, deed: Deed, resource: Resource, head: dict[str, Any], owners: list[tuple[str, Taken]]) -> Made:
    """The one there is, or the first that hangs under what is named."""
    where = " and ".join(f"row.{column} == {t.name}" for column, t in owners)
    find: dict[str, Any] = {"find": f"row in {resource.name}", "else": "NOT_FOUND"}
    if where:
        find["where"] = where.replace("row.", "")
    takes = {t.name: t.entity for _, t in owners}
    body = [{**find, **({"where": " and ".join(f"row.{c} == {t.name}" for c, t in owners)} if owners else {})}]
    return Made(
        name, deed, resource, {**head, "takes": takes, "does": body, "gives": "row"}, tuple(t for _, t in owners)
    )


def _create(name: str, deed: Deed, resource: Resource, head: dict[str, Any], owners: list[tuple[str, Taken]]) -> Made:
    takes: dict[str, Any] = {t.name: t.entity for _, t in owners}
    values = {column: t.name for column, t in owners}
    taken = [t for _, t in owners]
    for attribute, at, required in _values(deed, resource):
        if attribute.name in values or attribute.kind == "state":
            continue
        takes[attribute.name] = input_type(attribute, required)
        values[attribute.name] = attribute.name
        taken.append(Taken(attribute.name, at, attribute, attribute.refers_to))
    for _, parameter in deed.under:
        above = resource.attribute((parameter,))
        if above is not None and above.name not in values:
            takes[above.name] = input_type(above, not above.optional)
            values[above.name] = above.name
            taken.append(Taken(above.name, (parameter,), above, above.refers_to))
    for a in resource.attributes:
        if (
            a.name not in values
            and a.kind in ("date", "time")
            and parts(a.path[-1])[:1] in (("created",), ("date",), ("opened",))
        ):
            values[a.name] = "now" if a.kind == "time" else "today"
    body: list[dict[str, Any]] = [{"add": resource.name, "with": values, "as": "row"}]
    for child, at in _lists(deed, resource):
        takes[child.way], taken = _list_input(child), [*taken, Taken(child.way, at, child=child)]
        body.append(_filled(child, "row"))
    return Made(name, deed, resource, {**head, "takes": takes, "does": body, "gives": "row"}, tuple(taken))


def _list_input(child: Child) -> dict[str, Any]:
    return list_input(child, {a.name: input_type(a, not a.optional) for a in child.attributes if a.given})


def _filled(child: Child, row: str) -> dict[str, Any]:
    """The elements of a list as rows of a record."""
    values = {a.name: f"element.{a.name}" for a in child.attributes if a.given}
    return {"each": f"element in {child.way}", "do": [{"add": child.name, "with": {child.owner: row, **values}}]}


def _lists(deed: Deed, resource: Resource) -> Iterator[tuple[Child, Path]]:
    """The lists that a deed is told, each with its place in the arguments."""
    told = {one.path: one.at for one in said(deed)}
    for child in resource.children:
        if child.path in told and any(a.given for a in child.attributes):
            yield child, told[child.path]


def _change(name: str, deed: Deed, resource: Resource, head: dict[str, Any], owners: list[tuple[str, Taken]]) -> Made:
    row = _row(resource)
    takes: dict[str, Any] = {row: resource.name} if deed.by else {t.name: t.entity for _, t in owners}
    taken = [Taken(row, (deed.by,), None, resource.name)] if deed.by else [t for _, t in owners]
    body: list[dict[str, Any]] = []
    if not deed.by:
        where = " and ".join(f"{row}.{c} == {t.name}" for c, t in owners)
        body.append({"find": f"{row} in {resource.name}", "where": where, "else": "NOT_FOUND"})
    if deed.kind == "delete":
        return Made(
            name,
            deed,
            resource,
            {**head, "takes": takes, "does": [*body, *_emptied(resource, row), {"remove": row}]},
            tuple(taken),
            "nothing",
        )
    sets: dict[str, str] = {}
    must = {one.at for one in said(deed) if one.field.required and len(one.at) == 1}
    for attribute, at, _ in _values(deed, resource):
        takes[attribute.name] = input_type(attribute, at in must)
        taken.append(Taken(attribute.name, at, attribute, attribute.refers_to))
        if attribute.kind == "state":
            body.append(
                {"when": f"{attribute.name} is not none", "do": [{"set": {f"{row}.{attribute.name}": attribute.name}}]}
            )
        else:
            sets[f"{row}.{attribute.name}"] = f"coalesce({attribute.name}, {row}.{attribute.name})"
    fields: dict[str, str] = {}
    if deed.kind == "move":
        goal = target(deed.verb, resource.state.words.values()) if resource.state is not None else ""
        if goal and resource.state is not None:
            sets[f"{row}.{resource.state.name}"] = goal
        else:
            stamp = fresh(identifier((*deed.verb[:2], "at"), "done"), {a.name for a in resource.attributes})
            fields[stamp] = "time?"
            sets[f"{row}.{stamp}"] = "now"
    body += [{"set": sets}] if sets else []
    for child, at in _lists(deed, resource) if deed.kind == "update" else ():
        takes[child.way], taken = _list_input(child), [*taken, Taken(child.way, at, child=child)]
        new = [{"each": f"part in {row}.{child.way}", "do": [{"remove": "part"}]}, _filled(child, row)]
        body.append({"when": f"exists(element for element in {child.way})", "do": new})
    if not body or all("find" in b for b in body):
        return _log(name, deed, resource, head)
    return Made(name, deed, resource, {**head, "takes": takes, "does": body, "gives": row}, tuple(taken), "row", fields)


def _emptied(resource: Resource, row: str) -> list[dict[str, Any]]:
    """What stands inside of a record goes with it."""
    return [{"each": f"part in {row}.{child.way}", "do": [{"remove": "part"}]} for child in resource.children]


def _log(name: str, deed: Deed, resource: Resource, head: dict[str, Any]) -> Made:
    body = [{"add": LOG, "with": {"action": f"'{name}'", "happened_at": "now"}, "as": "row"}]
    return Made(name, deed, resource, {**head, "does": body, "gives": "row"}, (), "nothing", logs=True)


def _values(deed: Deed, resource: Resource) -> Iterator[tuple[Attribute, Path, bool]]:
    """The attributes that a deed is told, each with its place in the arguments."""
    for one in said(deed):
        attribute = resource.attribute(one.path)
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


def extra_fields(made: Iterable[Made]) -> dict[str, dict[str, str]]:
    """By thing, the fields that operations need beside its own."""
    out: dict[str, dict[str, str]] = {}
    for one in made:
        out.setdefault(one.resource.name, {}).update(one.fields)
    return out
