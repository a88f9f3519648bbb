"""The contract of a derived world: where each argument goes, and where each part of an answer comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from worldwright.anchor.evidence import Operation, Shape
from worldwright.anchor.model.attributes import codec_of
from worldwright.anchor.model.blueprint import key_formats
from worldwright.anchor.model.grouping import stem_of_name
from worldwright.anchor.model.items import find_item, fit_id_form, id_form, item_noun, paging, phrases
from worldwright.anchor.model.operations import BlueprintOperation, OperationInput
from worldwright.anchor.model.records import Attribute, Child, Entity, Path
from worldwright.anchor.names import parts
from worldwright.anchor.schema.shapes import Schema, first_form, is_untyped, minimal_value, resolve_schema, text_place
from worldwright.engine.codecs import read_enum_word
from worldwright.engine.contract import Contract, ContractTool, Take

TOTALS = phrases("total total_count count total_items total_results total_size hits")
MAX_TEMPLATE_DEPTH = 12
INTEGER = {"as": "integer"}
CURSOR = {"as": "cursor"}


def build_contract(entities: Sequence[Entity], made: Sequence[BlueprintOperation]) -> Contract:
    """Every action as a tool of the contract."""
    formats = key_formats(entities)
    forms = {r.name: r.key_form for r in entities}
    shown = {m.entity.name: m for m in reversed(made) if m.intent.kind == "get" and m.intent.by and m.entity.children}
    tools = [_tool(one, formats, forms, shown.get(one.entity.name)) for one in made]
    return Contract({t.name: t for t in tools})


def _tool(
    one: BlueprintOperation, formats: Mapping[str, str], forms: Mapping[str, str], shown: BlueprintOperation | None
) -> ContractTool:
    """`shown` is the operation that shows the whole record, where what this one gives lacks the lists in it."""
    operation, pages = one.intent.operation, paging(one.intent.operation)
    takes = {t.name: _take(t, operation, formats, forms) for t in one.takes}
    writes = one.gives == "row" and one.intent.kind != "get"
    if one.gives == "rows" and pages.limit is not None:
        takes["limit"] = Take((pages.limit.name,), INTEGER)
    if one.gives == "rows" and pages.turns is not None:
        codec, turned = CURSOR if pages.how == "cursor" else INTEGER, "page" if pages.how == "page" else ""
        takes["offset"] = Take((pages.turns.name,), codec, turned=turned)
    whole = shown if writes else None
    return ContractTool(
        operation.name, operation.says, one.name, operation.input_schema, operation.output_schema, takes,
        _Answer(one, formats, shown is not None or not writes).template(), list_error_statuses(operation),
        shows=whole.name if whole is not None else "",
        shows_by=whole.takes[0].name if whole is not None else "",
        fixed={"limit": pages.size} if one.gives == "rows" and (pages.limit is None or not pages.how) else {},
        samples=list_samples(operation), declares=list_declared_statuses(operation),
    )  # fmt: skip


def list_shown_fields(tool: ContractTool) -> frozenset[str]:
    """The fields of a record that an answer shows."""

    def walk(node: Mapping[str, Any]) -> Iterator[str]:
        if len(node.get("from", ())) == 1:
            yield str(node["from"][0])
        for inner in (node.get("each"), node.get("text"), *node.get("fields", {}).values()):
            yield from walk(inner) if inner else ()

    return frozenset(walk(tool.gives))


def list_samples(operation: Operation) -> dict[str, Any]:
    """The least arguments that the contract accepts."""
    found = minimal_value(operation.input_schema, operation.input_schema)
    needed = operation.input_schema.get("required", ())
    return {k: v for k, v in found.items() if k in needed} if isinstance(found, dict) else {}


def list_declared_statuses(operation: Operation) -> dict[str, str]:
    """Every error status that is declared, and what it means."""
    return {s: " ".join(says.split())[:300] for s, says in operation.errors.items() if s.isdigit()}


def _take(taken: OperationInput, operation: Operation, formats: Mapping[str, str], forms: Mapping[str, str]) -> Take:
    """Where an input comes from, and how it is written there."""
    shape = next((p.shape for p in operation.parameters if p.name == taken.at[0]), operation.body or Shape("any"))
    for step in taken.at[1:]:
        shape = shape.fields[step].shape if step in shape.fields else Shape("any")
    if taken.child is not None:
        given = [a for a in taken.child.attributes if a.given]
        return Take(taken.at, {}, {a.name: Take(a.path, _ref_codec(a, formats)) for a in given})
    if taken.codec:
        return Take(taken.at, dict(taken.codec))
    if taken.attribute is not None and not taken.entity:
        return Take(taken.at, codec_of(taken.attribute.kind, shape, taken.attribute.words))
    form = id_form(shape)
    form = forms[taken.entity] if form == "text" and not shape.format else form
    return Take(taken.at, {"as": "id", "key": formats[taken.entity], "form": form})


def _ref_codec(a: Attribute, formats: Mapping[str, str]) -> Mapping[str, Any]:
    return {"as": "id", "key": formats[a.refers_to], "form": id_form(a.shape)} if a.refers_to else a.codec


STATUSES: Mapping[str, tuple[str, ...]] = {
    "NOT_FOUND": ("404", "400", "422"),
    "INVALID_ARGUMENT": ("400", "422"),
    "FORBIDDEN": ("403", "401"),
    "*": ("409", "422", "400"),
}
"""By error of the world, the statuses that may stand for it, the likeliest first."""


def list_error_statuses(operation: Operation) -> dict[str, str]:
    """By error of the world, the status that the contract declares for it."""
    found = {code: next((s for s in wanted if s in operation.errors), "") for code, wanted in STATUSES.items()}
    return {code: status for code, status in found.items() if status}


def add_paging(made: Mapping[str, Any], root: Schema, operation: Operation) -> dict[str, Any]:
    """The answer of a list with what says how to go on, at the top or one level down."""
    found = paging(operation)
    fields = dict(made["fields"])
    for path, codec, otherwise in ((found.next, CURSOR, ""), (found.more, {"as": "more"}, False)):
        schema, needed = resolve_schema(root, root), False
        whole = minimal_value(schema.get("properties", {}).get(path[0], {}), root) if path else None
        for step in path:
            needed = step in schema.get("required", ())
            schema = resolve_schema(schema.get("properties", {}).get(step, {}), root)
        sure = {"else": otherwise} if needed or codec != CURSOR else {"omit": True}
        node: dict[str, Any] = {"from": ["next_offset"], "codec": codec, **sure}
        if len(path) == 1:
            fields[path[0]] = node
        elif path:
            around = {k: {"is": v} for k, v in whole.items()} if isinstance(whole, dict) else {}
            fields[path[0]] = {"fields": {**fields.get(path[0], {}).get("fields", around), path[1]: node}}
    return {"fields": fields}


def lay_around(
    schema: Any, root: Schema, path: Path, many: bool, shown: Callable[[Schema], Mapping[str, Any]]
) -> dict[str, Any]:
    """The envelope of an answer with what has to stand in it, down to the record, or the list of them, at a path."""
    found = first_form(schema, root)
    if not path:
        return dict(shown(found))
    properties = found.get("properties", {})
    fields: dict[str, Any] = {n: {"is": minimal_value(properties.get(n, {}), root)} for n in found.get("required", ())}
    counts = (n for n, part in properties.items() if first_form(part, root).get("type") in ("integer", "number"))
    fields |= {n: {"from": ["total"], "codec": INTEGER} for n in counts if many and parts(n) in TOTALS}
    return {"fields": fields | {path[0]: lay_around(properties.get(path[0], {}), root, path[1:], many, shown)}}


def make_sure(node: Mapping[str, Any], schema: Any, root: Schema, needed: bool) -> dict[str, Any]:
    """A required value has something to fall back on; any other is left out where there is none."""
    if "from" not in node:
        return dict(node)
    return {**node, "else": minimal_value(schema, root)} if needed else {**node, "omit": True}


class _Answer:
    """The template of one action's answer."""

    def __init__(self, one: BlueprintOperation, formats: Mapping[str, str], whole: bool) -> None:
        self.one = one
        self.formats = formats
        self.whole = whole
        """Whether what the operation gives has the lists of the record in it."""
        self.entity = one.entity
        self.part = one.intent.part
        item = find_item(one.intent.operation.answer, item_noun(one.intent), one.intent.kind == "list")
        self.item = item if item is not None and item.many == (one.gives == "rows") else None

    def template(self) -> Mapping[str, Any]:
        root = self.one.intent.operation.output_schema
        place = text_place(root)
        if place is not None:
            text = {"text": self._free()}
            return {"fields": {place[0]: text}} if place else text
        if root is None or (self.one.gives != "nothing" and is_untyped(root)):
            return self._free(listed=root is not None and root.get("type") == "array")
        if self.one.gives == "nothing" or self.item is None:
            return {"is": minimal_value(root, root)}
        item = self.item
        made = lay_around(root, root, item.path, item.many, lambda found: self._shown(found, root, item.many))
        return add_paging(made, root, self.one.intent.operation) if self.item.many and "fields" in made else made

    def _free(self, listed: bool = False) -> Mapping[str, Any]:
        """An answer that nothing is declared of: the record as it is."""
        if self.one.gives != "rows":
            return self._record() if self.one.gives == "row" else {"is": {"ok": True}}
        rows = {"rows": ["items"], "each": self._record()}
        turns = paging(self.one.intent.operation).how == "cursor"
        more = {"next_cursor": {"from": ["next_offset"], "codec": CURSOR}} if turns else {}
        return rows if listed else {"fields": {"items": rows, "total": {"from": ["total"], "codec": INTEGER}, **more}}

    def _record(self) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        _put(fields, self.entity.key_path or ("id",), self._id(self.entity.key_form))
        inside = [a for a in self.entity.attributes if a.path[: len(self.part)] == self.part and a.path != self.part]
        for a in inside or self.entity.attributes:
            _put(fields, a.path[len(self.part) :] if inside else a.path, self._value(a))
        for child in self.entity.children if self.whole and not self.part else ():
            inner: dict[str, Any] = {}
            for a in (a for a in child.attributes if a.path):
                _put(inner, a.path, self._value(a))
            each = {"fields": inner} if inner else self._value(child.attributes[0])
            _put(fields, child.path, {"rows": [child.way], "each": each})
        return {"fields": fields}

    def _value(self, a: Attribute) -> dict[str, Any]:
        return {"from": [a.name], "codec": dict(_ref_codec(a, self.formats))}

    def _id(self, form: str) -> dict[str, Any]:
        return {"from": ["id"], "codec": {"as": "id", "key": self.formats[self.entity.name], "form": form}}

    def _shown(self, found: Schema, root: Schema, many: bool) -> Mapping[str, Any]:
        """The record, or the list of them."""
        return (
            {"rows": ["items"], "each": self._node(found.get("items", {}), root, ())}
            if many
            else self._node(found, root, ())
        )

    def _node(self, schema: Any, root: Schema, at: Path, child: Child | None = None) -> Mapping[str, Any]:
        """The record, or a part of it; or an element of a list in it."""
        found = first_form(schema, root)
        known = self._known(at, found, root, child)
        if known is not None:
            return known
        properties = found.get("properties")
        if not isinstance(properties, Mapping) or len(at) > MAX_TEMPLATE_DEPTH:
            return {"is": minimal_value(found, root)}
        needed = set(found.get("required", ()))
        fields: dict[str, Any] = {}
        for name, part in properties.items():
            inner = self._node(part, root, (*at, name), child)
            if name in needed or not _fixed(inner):
                fields[name] = make_sure(inner, part, root, name in needed)
        return {"fields": fields}

    def _known(self, at: Path, found: Schema, root: Schema, child: Child | None) -> dict[str, Any] | None:
        """What the record, or an element of a list in it, has there."""
        where, entity = (*self.part, *at), self.entity
        inside = next((c for c in entity.children if c.path == where), None) if self.whole and child is None else None
        if inside is not None and "items" in found:
            return {"rows": [inside.way], "each": dict(self._node(found["items"], root, (), inside))}
        whole = self.part and len(at) == 1 and stem_of_name(at[0]) in (entity.noun, entity.noun[-1:])
        if child is None and at and (at == entity.key_path or whole):
            return self._id(
                "text" if found.get("type") == "string" and entity.key_form == "integer" else entity.key_form
            )
        attribute = child.attribute(at) if child is not None else entity.attribute(where) if at else None
        if attribute is None:
            return None
        value = self._value(attribute)
        if not _fits(value["codec"], attribute.shape, found):
            return {"is": minimal_value(found, root)}
        if value["codec"]["as"] == "json" and child is None:
            kind = "object" if "properties" in found else found.get("type", "any")
            value["codec"] |= {"type": kind, "else": minimal_value(found, root)}
        return value


WRITES: Mapping[str, str] = {
    "text": "string", "date": "string", "moment": "string", "number_text": "string", "words": "string", "integer": "integer",
    "cents": "integer", "seconds": "integer", "number": "number", "boolean": "boolean", "list": "array",
}  # fmt: skip
"""By codec, the type of what it writes."""


def _fits(codec: Mapping[str, Any], shape: Shape, found: Schema) -> bool:
    """Tell whether what a codec writes is what the schema asks for."""
    how, said = codec["as"], found.get("type")
    types = {said} if isinstance(said, str) else set(said) if isinstance(said, list) else set()
    plain = codec.get("plain") is not False
    writes = WRITES.get("integer" if codec.get("form") == "integer" else "text" if how == "id" else how, "")
    writes = shape.kind if how == "words" and not plain else writes
    if types and writes and writes not in types and not (writes == "integer" and "number" in types):
        return False
    allowed, pattern, longest = found.get("enum"), found.get("pattern"), found.get("maxLength")
    if isinstance(allowed, list):
        written = (w if plain else read_enum_word(w) for w in codec.get("words", {}))
        return how == "words" and all(w in allowed for w in written)
    if how == "id" and isinstance(pattern, str):
        return str(codec["form"]) == fit_id_form(pattern)
    if how == "text" and isinstance(pattern, str):
        return pattern == shape.pattern
    return not (isinstance(longest, int) and how == "id" and longest < 14)


def _fixed(node: Mapping[str, Any]) -> bool:
    """Tell whether nothing in a template comes from the record."""
    return all(map(_fixed, node["fields"].values())) if "fields" in node else "is" in node


def _put(fields: dict[str, Any], path: Path, node: Mapping[str, Any]) -> None:
    for step in path[:-1]:
        fields = fields.setdefault(step, {"fields": {}}).get("fields", {})
    fields.setdefault(path[-1], node)
