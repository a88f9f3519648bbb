"""The things that a document describes by its form: tables and lists of fields, a data model, diagrams of entities.

A thing has fields. What a text only speaks of is left to whoever reads it: nouns make no tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from worldwright.anchor.claims.about import heading_about
from worldwright.anchor.evidence import Field, Resource, Shape, Source
from worldwright.anchor.names import noun
from worldwright.anchor.readers.documents.blocks import Block, bare, squeezed
from worldwright.anchor.readers.documents.fields import MOST_FIELDS, header_of, of_cell, of_item, of_row, term_of
from worldwright.anchor.readers.documents.outline import Part

MOST_THINGS = 300
MODEL = re.compile(
    r"\b(?:(?:data|domain|information|object|conceptual|logical|entity) models?|entit(?:y|ies)(?! management)|"
    r"data dictionary|(?:business|data|domain|core) objects?|data structures?|database (?:schema|design|tables)|"
    r"data (?:requirements|schema|entities|definitions?)|er diagram|datenmodell|entitäten|modèle de données|"
    r"entités|modelo de d(?:atos|ados)|entidades|modello dei? dati|gegevensmodel)\b|"
    r"数据模型|数据字典|实体|データモデル|エンティティ|データ項目",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"\b(?:the|entity|entities|tables?|objects?|data|fields?|attributes?|columns?|schema|models?|structures?|"
    r"details?|definitions?|propert(?:y|ies)|records?|information|dictionary|"
    r"list|of|for|requirements?|database|domain|core|key|main|form|elements?|each|an?|has|have|following|with|"
    r"contains?|includes?|are|is|specification|overview|input|entität|tabelle|felder)\b|"
    r"数据模型|字段|属性|实体|テーブル|エンティティ|項目",
    re.IGNORECASE,
)
_INLINE = re.compile(r"([^\W\d][\w -]{1,40}?)\s?\(([^()]{3,300})\)\.?\Z")
_NO_THING = re.compile(r"\b(?:relationships?|diagram|constraints?|notes?|indexes|rules?)\b", re.IGNORECASE)


def resources(parts: Sequence[Part], file: str) -> tuple[Resource, ...]:
    """Everything that a document says is kept, in order."""
    found: dict[tuple[str, ...], Resource] = {}
    for number, part in enumerate(parts):
        if len(found) < MOST_THINGS and heading_about(part.path)[0] != "process":
            for resource in _of_part(parts, number, file):
                if resource.fields:
                    add_resource(found, resource)
    return tuple(found.values())


def add_resource(found: dict[tuple[str, ...], Resource], new: Resource) -> None:
    """Put a thing to those that were found; of one that is there already, what it lacks is added."""
    key = noun(new.name) or (new.name,)
    old = found.get(key)
    names = {f.name for f in old.fields} if old else set()
    if old is None:
        found[key] = new
        return
    fields = (*old.fields, *(f for f in new.fields if f.name not in names))[:MOST_FIELDS]
    found[key] = replace(old, fields=fields, key=old.key or new.key, says=old.says or new.says)


def _thing(name: str, fields: Sequence[Field], source: Source, says: str = "") -> Resource:
    key = tuple(f.name for f in fields if f.key)
    return Resource(bare(name).strip("`\"'*: "), tuple(fields), key, says=says, origin="document", source=source)


def _of_part(parts: Sequence[Part], number: int, file: str) -> Iterator[Resource]:
    part = parts[number]
    block = part.block
    modelled = any(MODEL.search(name) for name in part.path[-3:])
    if block.kind == "table":
        columns = header_of(block)
        if columns:
            yield from _field_table(parts, number, columns, file)
        elif modelled:
            yield from _entity_rows(block, file)
    elif block.kind == "terms" and modelled:
        yield from _entity_rows(block, file)
    elif block.kind == "heading":
        yield from _section(parts, number, any(MODEL.search(name) for name in part.path[:-1][-3:]), file)
    elif block.kind == "item" and block.level == 0 and part.path and MODEL.search(part.path[-1]):
        yield from _entity_item(parts, number, file)


def _field_table(parts: Sequence[Part], number: int, columns: dict[str, int], file: str) -> Iterator[Resource]:
    """A table of fields as one thing, or as several where a column names them."""
    block = parts[number].block
    groups: dict[str, list[Field]] = {}
    last = ""
    name = "" if "entity" in columns else _name_of_table(parts, number)
    for row, at in zip(block.rows[1 : MOST_FIELDS + 1], block.places[1:], strict=False):
        if "entity" in columns:
            last = squeezed(row[columns["entity"]]).strip("`*") or last
            name = last
        found = of_row(row, columns, Source(file, at))
        if found is not None and name:
            groups.setdefault(name, []).append(found)
    yield from (_thing(name, fields, Source(file, block.at)) for name, fields in groups.items())


def _name_of_table(parts: Sequence[Part], number: int) -> str:
    """Return what a table of fields is about: the line right before it, or the nearest heading that is not only `Data model`."""
    before = parts[number - 1] if number else None
    if before is not None and before.block.kind in ("paragraph", "item") and before.section == parts[number].section:
        line = squeezed(before.block.lead or before.block.text)
        name = _named(line)
        titled = line.endswith(":") or (len(line.split()) <= 4 and line[-1:] != ".")
        if len(line) <= 80 and 0 < len(name.split()) <= 3 and titled:
            return name
    return next((n for h in reversed(parts[number].path) if (n := _named(h)) and len(n.split()) <= 4), "")


def _named(heading: str) -> str:
    """A heading without the words that only say that it heads a thing."""
    inner = re.search(r"[`“\"']([\w -]{2,40})[`”\"']", heading)
    if inner:
        return inner[1]
    return squeezed(_GENERIC.sub(" ", re.sub(r"\([^()]{0,80}\)", " ", heading)).strip(" :.-–—/&"))


def _entity_rows(block: Block, file: str) -> Iterator[Resource]:
    """Rows of a table of entities, each with the names of its fields in a cell."""
    for row, at in list(zip(block.rows, block.places, strict=True))[1 if block.headed else 0 :]:
        if len(row) > 1 and 0 < len(squeezed(row[0]).split()) <= 4:
            yield _thing(squeezed(row[0]), _comma_fields(of_cell(row[1]), Source(file, at)), Source(file, at))


def _section(parts: Sequence[Part], number: int, modelled: bool, file: str) -> Iterator[Resource]:
    """A heading with the items below it as fields: any under a data model, elsewhere where most of them name a type."""
    part = parts[number]
    name = _named(part.heading) or part.heading
    if MODEL.search(part.heading) or len(name.split()) > 4 or _NO_THING.search(name):
        return
    fields: list[Field] = []
    says, items = "", 0
    for after in parts[number + 1 : number + 1 + MOST_FIELDS]:
        block = after.block
        if after.section != part.section or (block.kind == "table" and header_of(block)):
            break
        if block.kind == "paragraph" and not says:
            says = squeezed(block.text)[:400]
        elif block.kind == "item" and block.level == 0:
            items += 1
            found = of_item(block, Source(file, block.at), strict=not modelled)
            fields += [found] if found is not None else []
    if len(fields) * 2 >= items and len(fields) >= (1 if modelled else 2):
        yield _thing(name, fields, Source(file, part.block.at), says)


def _entity_item(parts: Sequence[Part], number: int, file: str) -> Iterator[Resource]:
    """An item under a data model: a name with fields in brackets, after a colon, or as items below it."""
    block = parts[number].block
    source = Source(file, block.at)
    below = _below(parts, number)
    inline = _INLINE.match(bare(block.text))
    name, rest = term_of(block)
    if below:
        fields = tuple(f for b in below if (f := of_item(b, Source(file, b.at))) is not None)
        yield from (_thing(name, fields, source, rest) for _ in fields[:1] if name)
    elif inline and not block.lead:
        yield _thing(inline[1], _comma_fields(inline[2], source), source)
    elif name and len(name.split()) <= 4:
        yield _thing(name, _comma_fields(rest.strip("()"), source), source)


def _below(parts: Sequence[Part], number: int) -> list[Block]:
    """The items one level below an item."""
    level = parts[number].block.level
    out: list[Block] = []
    for part in parts[number + 1 : number + 1 + MOST_FIELDS]:
        if part.block.kind != "item" or part.block.level <= level:
            break
        if part.block.level == level + 1:
            out.append(part.block)
    return out


def _comma_fields(text: str, source: Source) -> tuple[Field, ...]:
    """Names between commas as fields; nothing where the text is a sentence."""
    names = [bare(n).strip("`\"'*. ") for n in re.split(r",|;|\band\b", squeezed(text)[:1_000])]
    names = [n for n in names if n]
    if len(names) < 2 or any(len(n.split()) > 3 or len(n) > 40 or not n[0].isalpha() for n in names):
        return ()
    return tuple(Field(n, Shape("any"), source=source) for n in dict.fromkeys(names))
