"""Answers of a contract out of the results of operations: each property of the declared schema from the part that means the same.

Where nothing is declared, the result is answered as it is, with ids as the contract writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from worldwright.anchor.base.words import match_words, meanings
from worldwright.anchor.evidence import Operation
from worldwright.anchor.model.contract import CURSOR, INTEGER, add_paging, lay_around, make_sure
from worldwright.anchor.model.items import Item, find_item, fit_id_form, paging
from worldwright.anchor.model.records import Noun, Path
from worldwright.anchor.names import parts
from worldwright.anchor.schema.shapes import Schema, first_form, minimal_value, text_place
from worldwright.blueprint import checked as c
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.types import Type
from worldwright.core.regex import may_take_forever

Node = dict[str, Any]
Forms = Mapping[str, str]
"""By entity, how the contract writes its ids: text, integer or uuid."""
MAX_DEPTH = 10
SAME: Node = {"as": "text"}
"""Writes a value as it is."""
_ID_ENDS = frozenset({"id", "uuid", "gid", "key", "number", "no", "code", "reference"})
_FIGURES = frozenset({"money", "foreign", "decimal", "bool"})
"""Kinds of values that do not stand for a property of which only the last word is the same."""
_FREE_FORMATS = frozenset({"", "email", "phone", "text", "string", "decimal", "currency", "idn-email"})


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value of a result."""

    at: Path
    type: Type
    key_of: str = ""
    """The entity whose id it is."""


@dataclass(frozen=True, slots=True)
class Record:
    """A row in a result, or the whole of it."""

    entity: str
    parts: Mapping[str, Leaf | Record | Rows]

    def key(self) -> Leaf | None:
        found = self.parts.get("id")
        return found if isinstance(found, Leaf) and found.key_of == self.entity else None


@dataclass(frozen=True, slots=True)
class Rows:
    """A list of rows in a result. Places inside of one begin at the row."""

    at: Path
    each: Record


def result_of(checked: Checked, operation: c.Operation) -> Record:
    """Return what an operation gives."""
    match operation.read:
        case c.Search() as search:
            row = _row(checked, search.entity, search.embeds)
            if search.shows:
                shown: dict[str, Leaf | Record | Rows] = {
                    name: _leaf((name,), node.type) for name, node in search.shows
                }
                shown |= {e.name: row.parts[e.name] for e in search.embeds}
                row = replace(row, parts={"id": row.parts["id"], **shown})
            return Record("", {"items": Rows(("items",), row), "total": Leaf(("total",), Type("int"))})
        case c.Get() as get:
            return _row(checked, get.entity, get.embeds)
    if isinstance(operation.gives, n.Node):
        return _row(checked, operation.gives.type.entity)
    return Record("", {name: _leaf((name,), node.type) for name, node in operation.gives or ()})


def _leaf(at: Path, kind: Type) -> Leaf:
    return Leaf(at, kind, kind.entity if kind.kind == "ref" else "")


def _row(checked: Checked, name: str, embeds: tuple[c.Embed, ...] = (), before: Path = ()) -> Record:
    entity = checked.schema.entities[name]
    found: dict[str, Leaf | Record | Rows] = {"id": Leaf((*before, "id"), Type("text"), name)}
    found |= {column.name: _leaf((*before, column.name), column.type) for column in entity.columns.values()}
    for embed in embeds:
        if embed.ref is not None:
            found[embed.name] = _row(checked, embed.ref.type.entity, (), (*before, embed.name))
        else:
            found[embed.name] = Rows((*before, embed.name), _row(checked, entity.ways[embed.way].entity))
    return Record(name, found)


def _leaves(record: Record) -> Iterator[Leaf]:
    for part in record.parts.values():
        if isinstance(part, Leaf):
            yield part
        else:
            yield from _leaves(part.each if isinstance(part, Rows) else part)


# as it is declared


@dataclass(frozen=True, slots=True)
class Answer:
    """A template, and how many parts of the result it tells."""

    template: Node
    told: int


class Answerer:
    """Templates over the records of one Blueprint."""

    def __init__(self, checked: Checked, forms: Forms, names: Mapping[str, str] = MappingProxyType({})) -> None:
        self.checked = checked
        self.forms = forms
        self.names = {name.replace("[]", "").replace("..", "."): said for name, said in names.items()}
        """By property of an answer (`status`, or its whole path, `state.battery.level`), the part of the result that it is, where
        somebody says so."""
        self.problems: list[str] = []
        """What of that cannot be."""
        self._met: set[str] = set()

    def answer(self, operation: Operation, what: Noun, record: Record) -> Answer:
        """The answer of an action whose operation gives this."""
        root, place = operation.output_schema, text_place(operation.output_schema)
        listed = next((p for p in record.parts.values() if isinstance(p, Rows)), None) if not record.entity else None
        if root is None or place is not None:
            whole = self._free(operation, record, listed)
            text = whole if place is None else {"text": whole}
            return Answer({"fields": {place[0]: text}} if place else text, int(place is not None))
        node = self._declared(operation, root, find_item(operation.answer, what), record, listed)
        unmet = [name for name in self.names if name not in self._met]
        self.problems += [f"the answer has no property `{name[:80]}` for `gives`" for name in unmet]
        return Answer(node, _count_bound_values(node))

    def _declared(
        self, operation: Operation, root: Schema, item: Item | None, record: Record, listed: Rows | None
    ) -> Node:
        if listed is not None and first_form(root, root).get("type") in ("integer", "number"):
            return {"from": ["total"], "codec": INTEGER}
        if item is None or item.many != (listed is not None):  # lines of one order are not a list of orders
            whole = self._object(first_form(root, root), root, record, ()) if listed is None and item else None
            return whole or {"is": minimal_value(root, root)}
        at, many = item.path, listed is not None
        node = lay_around(root, root, at, many, lambda found: self._shown(found, root, at, record, listed))
        return add_paging(node, root, operation) if many and "fields" in node else node

    def _free(self, operation: Operation, record: Record, listed: Rows | None) -> Node:
        """The whole result, with ids as the contract writes them and a way to the next page."""
        if listed is not None and paging(operation).how == "cursor":
            turned = {"next_cursor": {"from": ["next_offset"], "codec": CURSOR}}
            return {"fields": {**self._copied(record)["fields"], **turned}}
        plain = all(self.forms.get(leaf.key_of, "text") == "text" for leaf in _leaves(record))
        return {"from": [], "codec": SAME} if plain else self._copied(record)

    def _copied(self, record: Record) -> Node:
        """The whole record, with ids in the form of the contract."""
        fields: dict[str, Node] = {}
        for name, part in record.parts.items():
            if isinstance(part, Rows):
                fields[name] = {"rows": list(part.at), "each": self._copied(part.each)}
            elif isinstance(part, Record):
                fields[name] = self._copied(part)
            else:
                fields[name] = {"from": list(part.at), "codec": self._id(part.key_of, "") if part.key_of else SAME}
        return {"fields": fields}

    def _id(self, entity: str, form: str) -> Node:
        key = self.checked.blueprint.entities[entity].key
        return {"as": "id", "key": key, "form": form or self.forms.get(entity, "text")}

    def _shown(self, found: Schema, root: Schema, at: Path, record: Record, listed: Rows | None) -> Node:
        """The record, or the list of them."""
        one = found if listed is None else first_form(found.get("items", {}), root)
        node = self._object(one, root, record if listed is None else listed.each, at) or {
            "is": minimal_value(one, root)
        }
        return node if listed is None else {"rows": list(listed.at), "each": node}

    def _object(self, found: Schema, root: Schema, record: Record, at: Path, row: Record | None = None) -> Node | None:
        """An object of the schema at a place out of a record, or of a part of a row; None where that has nothing of it.

        Where nothing is declared, it is the record as it is."""
        properties = found.get("properties")
        if not isinstance(properties, Mapping) or len(at) > MAX_DEPTH:
            closed = found.get("additionalProperties") is False or found.get("type") not in (None, "object")
            return None if closed or properties is not None else self._copied(record)
        needed = set(found.get("required", ()))
        fields: dict[str, Node] = {}
        for name, part in properties.items():
            inner = first_form(part, root)
            node = self._property((*at, str(name)), inner, root, record, row or record)
            if node is not None or name in needed:
                fields[name] = make_sure(node or {"is": minimal_value(inner, root)}, inner, root, name in needed)
        return {"fields": fields} if _count_bound_values({"fields": fields}) else None

    def _property(self, at: Path, found: Schema, root: Schema, record: Record, row: Record) -> Node | None:
        name = at[-1]
        said = next((".".join(at[k:]) for k in range(len(at)) if ".".join(at[k:]) in self.names), "")
        part = _named(self.names[said], row) if said else _part(name, record)
        free = bool(said) and isinstance(part, Leaf) and not part.key_of
        found = {k: v for k, v in found.items() if k != "pattern"} if free else found
        node = self._show(part, at, found, root, record, row)
        if said:
            self._met.add(said)
            if part is None:
                self.problems.append(f"`gives`: the result has no `{self.names[said][:80]}` for `{said[:80]}`")
            elif node is None:
                self.problems.append(
                    f"`gives`: `{self.names[said][:80]}` cannot be written as `{said[:80]}` is declared"
                )
        return node

    def _show(
        self, part: Leaf | Record | Rows | None, at: Path, found: Schema, root: Schema, record: Record, row: Record
    ) -> Node | None:
        """The part of a result as a property is declared; None where it cannot be."""
        if isinstance(part, Rows):
            if found.get("type") != "array":
                return None
            each = self._object(first_form(found.get("items", {}), root), root, part.each, at)
            return None if each is None else {"rows": list(part.at), "each": each}
        if "properties" in found:
            inside = part if isinstance(part, Record) else _referred(part)
            if inside is not None:
                return self._object(found, root, inside, at)
            return self._object(found, root, _gather(at[-1], record), at, row)
        leaf = part.key() if isinstance(part, Record) else part
        codec = None if leaf is None else self._codec(leaf, found, parts(at[-1]))
        return None if codec is None or leaf is None else {"from": list(leaf.at), "codec": codec}

    def _codec(self, leaf: Leaf, found: Schema, words: Path) -> Node | None:
        said = found.get("type", [])
        types = [said] if isinstance(said, str) else list(said)
        if leaf.key_of:
            return self._id_codec(leaf.key_of, found, types)
        kinds = _written(leaf.type, found, words)
        return next((codec for kind, codec in kinds if not types or kind in types), None)

    def _id_codec(self, entity: str, found: Schema, types: list[Any]) -> Node | None:
        form = fit_id_form(str(found.get("pattern", "")))
        if "enum" in found or ("pattern" in found and not form):
            return None
        if "integer" in types or "number" in types:
            return self._id(entity, "integer")
        form = form or ("uuid" if found.get("format") == "uuid" else "")
        return self._id(entity, form) if not types or "string" in types else None


_WRITES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "int": (("integer", "integer"), ("number", "integer")),
    "money": (("number", "number"), ("string", "number_text")),
    "bool": (("boolean", "boolean"),),
    "date": (("string", "date"),),
    "time": (("string", "moment"), ("integer", "seconds")),
    "text": (("string", "text"),),
}
"""By what a value is, the types of JSON that it can be written as, each with the codec for it."""


def _written(kind: Type, found: Schema, words: Path) -> list[tuple[str, Node]]:
    """Return how a value can be written: types of JSON, each with the codec for it."""
    form, what = str(found.get("format", "")), "money" if kind.kind in ("decimal", "foreign") else kind.kind
    if what == "enum":
        codec = _enum(kind, found)
        return [("string", codec)] if codec is not None else []
    fits = {
        "date": form in ("", "date"),
        "time": form != "date",
        "text": form in _FREE_FORMATS and "pattern" not in found and "enum" not in found,
    }
    cents = (("integer", "cents"),) if what == "money" and {"cents", "minor"} & set(words) else ()
    return [(name, {"as": codec}) for name, codec in (*_WRITES.get(what, ()), *cents)] if fits.get(what, True) else []


def _enum(kind: Type, found: Schema) -> Node | None:
    allowed = found.get("enum")
    if not isinstance(allowed, list):
        pattern = str(found.get("pattern", ""))
        fits = not may_take_forever(pattern) and all(re.search(pattern, w) for w in kind.values)
        return SAME if fits else None
    table = match_words(allowed, kind.values)
    return {"as": "words", "words": table} if len(table) == len(kind.values) else None


# names


def _part(name: str, record: Record) -> Leaf | Record | Rows | None:
    """The part of a record that a property means."""
    words = parts(name)
    plainly = "_".join(words)
    if plainly in record.parts:
        return record.parts[plainly]
    said, known = meanings(name), [(meanings(k), len(parts(k)), p) for k, p in record.parts.items()]
    same = [p for k, _, p in known if said and k == said]
    if words and words[-1] in _ID_ENDS:
        own = meanings(" ".join(words[:-1]))
        if record.entity and (words in (("id",), ("uuid",), ("gid",)) or own == meanings(record.entity)):
            return record.key()
        same = [p for k, _, p in known if own and k == own and (isinstance(p, Record) or _referred(p))] or same
    ends = [p for k, size, p in known if said and k[-1:] == said[-1:] and 1 in (len(said), size)]
    loose = ends[:1] if len(ends) == 1 and not (isinstance(ends[0], Leaf) and ends[0].type.kind in _FIGURES) else []
    return next(iter(same or loose), None)


def _named(path: str, record: Record) -> Leaf | Record | Rows | None:
    """The part of a record at a path such as `customer.name`."""
    found: Leaf | Record | Rows | None = record
    for step in path.split("."):
        found = found.parts.get(step) if isinstance(found, Record) else None
    return found


def _gather(name: str, record: Record) -> Record:
    """The parts of a record that stand in an object of the answer: `charge_state_level` in `chargeState`."""
    before = "_".join(parts(name)) + "_"
    return Record("", {k.removeprefix(before): part for k, part in record.parts.items() if k.startswith(before)})


def _referred(part: Leaf | Record | Rows | None) -> Record | None:
    """Return what is known of a row by its id alone."""
    return Record(part.key_of, {"id": part}) if isinstance(part, Leaf) and part.key_of else None


def _count_bound_values(node: Mapping[str, Any]) -> int:
    """Return how many values of a template come from the result."""
    if "fields" in node:
        return sum(_count_bound_values(part) for part in node["fields"].values())
    return _count_bound_values(node["each"]) if "each" in node else int("from" in node)
