"""Read tools: searches and gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.checked import Embed, Filter, Get, Input, Search
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.failure import Consequence, ExprError
from worldwright.blueprint.expr.parse import parse
from worldwright.blueprint.expr.scope import Language, Scope
from worldwright.blueprint.model import OperationSpec
from worldwright.blueprint.schema import Column, Entity
from worldwright.blueprint.types import BOOL, INT, TEXT, Type, ref
from worldwright.core.names import suggest, to_words
from worldwright.english.nouns import indefinite


def check_search(spec: OperationSpec, language: Language, report: Reporter) -> tuple[Search, tuple[Input, ...]]:
    entity = _entity("search", spec.search or "", language, report)
    if spec.takes:
        with report.at("takes"):
            report.add(
                "a search takes nothing but its filters", "name a field in `filters`, or write an operation with `find`"
            )
    scope = Scope(self_entity=entity.name)
    where = None
    with report.at("where"):
        where = parse(spec.where, language, scope, BOOL) if spec.where is not None else None
    filters: list[Filter] = []
    inputs: list[Input] = []
    for name in spec.filters:
        with report.at("filters"):
            column = _field(entity, name)
            for f, i in _filters(column):
                filters.append(f)
                inputs.append(replace(i, optional=False) if name in spec.needs else i)
    with report.at("needs"):
        _check_needs(spec, filters)
    names = [i.name for i in inputs] + ["sort", "limit", "offset"]
    if "ctx" in names or "ww" in names:
        with report.at("filters"):
            report.add("a filter cannot be called `ctx` or `ww`", "generated files use these names; rename the field")
    for twice in sorted({name for name in names if names.count(name) > 1}):
        with report.at("filters"):
            report.add(f"two inputs of the search would be called `{twice}`", "rename the field, or leave a filter out")
    sorts, descending = _sorts(spec, entity, report)
    shows = tuple(_check_shown_path(path, entity, language, report) for path in spec.shows)
    orders = ", ".join(sorts)
    order = Input(
        "sort", Type("enum", values=tuple(s + d for s in sorts for d in ("", "_desc"))), optional=True,
        says=f"Order of the items: {orders}, or one of them with _desc for the largest first.",
    )  # fmt: skip
    page = (
        Input("limit", INT, True, n.Const(INT, min(10, spec.page)), 1, spec.page, says="How many items at most."),
        Input("offset", INT, True, n.Const(INT, 0), 0, 100_000, says="How many items to skip."),
    )
    given = tuple(s for s in shows if s is not None)
    embeds = _check_embeds(spec, entity, language, report)
    if embeds and given:
        with report.at("with"):
            report.add("a search that embeds records shows the whole of its own", "leave out `shows`, or `with`")
    return Search(entity.name, where, tuple(filters), sorts, descending, given, embeds), (*inputs, order, *page)


def _check_needs(spec: OperationSpec, filters: Sequence[Filter]) -> None:
    known = [f.name for f in filters if f.name == f.column]
    for name in spec.needs:
        if name not in known:
            raise ExprError(f"`{name}` cannot be needed", f"a filter that is one input: {suggest(name, known)}")


def _entity(key: str, name: str, language: Language, report: Reporter) -> Entity:
    if name not in language.schema.entities:
        with report.at(key):
            report.add(f"no entity is called `{name}`", suggest(name, language.schema.entities))
        raise Consequence("read of nothing")
    return language.schema.entities[name]


def _field(entity: Entity, name: str) -> Column:
    if name not in entity.columns:
        raise ExprError(f"`{entity.name}` has no field `{name}`", suggest(name, entity.columns))
    return entity.columns[name]


def _filters(column: Column) -> list[tuple[Filter, Input]]:
    """The filter inputs of one column: one that is equal, or a range, or a piece of text."""
    name, kind, said = column.name, column.type, to_words(column.name)
    if kind.kind in ("ref", "enum", "bool"):
        who = f"Only with this {said}" + (f" (id of {indefinite(kind.entity)})." if kind.kind == "ref" else ".")
        return [(Filter(name, name, "=="), Input(name, kind, True, says=who))]
    if kind.kind == "text":
        text = f"Only where {said} contains this, upper or lower case."
        return [(Filter(name, name, "contains"), Input(name, TEXT, True, low=1, high=200, says=text))]
    kind = Type("money", kind.places) if kind.kind == "foreign" else kind
    return [
        (Filter(f"{name}_from", name, ">="), Input(f"{name}_from", kind, True, says=f"Smallest {said}.")),
        (Filter(f"{name}_to", name, "<="), Input(f"{name}_to", kind, True, says=f"Largest {said}.")),
    ]


def _sorts(spec: OperationSpec, entity: Entity, report: Reporter) -> tuple[tuple[str, ...], bool]:
    out = []
    for item in spec.sort:
        with report.at("sort"):
            name = item.removeprefix("-")
            if name != "id":
                column = _field(entity, name)
                if column.type.kind in ("ref", "bool"):
                    raise ExprError(f"`{name}` has no order", "dates, numbers, money, text, states")
            if name.removesuffix("_desc") in out or f"{name}_desc" in out:
                raise ExprError(f"`{name}` and another order would have the same name")
            out.append(name)
    return tuple(out) or ("id",), bool(spec.sort) and spec.sort[0].startswith("-")


def _check_shown_path(path: str, entity: Entity, language: Language, report: Reporter) -> tuple[str, n.Node] | None:
    out = None
    with report.at("shows"):
        node = parse(path, language, Scope(self_entity=entity.name))
        if not isinstance(node, n.Field):
            raise ExprError(f"`{path}` is not a field", "field or reference.field")
        out = (path.replace(".", "_"), node)
    return out


def check_get(spec: OperationSpec, language: Language, report: Reporter) -> tuple[Get, tuple[Input, ...]]:
    entity = _entity("get", spec.get or "", language, report)
    where = None
    with report.at("where"):
        where = parse(spec.where, language, Scope(self_entity=entity.name), BOOL) if spec.where is not None else None
    return Get(entity.name, where, _check_embeds(spec, entity, language, report)), (
        Input(entity.name, ref(entity.name), says=f"Id of the {to_words(entity.name)}."),
    )


def _check_embeds(spec: OperationSpec, entity: Entity, language: Language, report: Reporter) -> tuple[Embed, ...]:
    """Check references and ways back whose records are shown with a record."""
    embeds = []
    for name in spec.with_:
        with report.at("with"):
            if name in entity.ways:
                embeds.append(Embed(name, None, name))
                continue
            if name.split(".")[0] not in entity.columns:
                raise ExprError(
                    f"`{entity.name}` has no reference or way back `{name}`",
                    suggest(name, [*entity.ways, *entity.columns]),
                )
            node = parse(name, language, Scope(self_entity=entity.name))
            if node.type.kind != "ref":
                raise ExprError(f"`{name}` is not a reference or a way back", suggest(name, entity.ways))
            embeds.append(Embed(name.replace(".", "_"), node, ""))
    return tuple(embeds)
