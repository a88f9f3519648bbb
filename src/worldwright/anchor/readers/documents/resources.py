"""The things that a document describes: data models, glossaries, lists of fields, diagrams of entities."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from worldwright.anchor.evidence import Field, Resource, Shape, Source
from worldwright.anchor.readers.documents.blocks import Block, bare, squeezed
from worldwright.anchor.readers.documents.diagrams import entities, is_entities
from worldwright.anchor.readers.documents.fields import MOST_FIELDS, header_of, of_cell, of_item, of_row, term_of
from worldwright.anchor.readers.documents.outline import Part, foreign
from worldwright.anchor.readers.documents.words import is_role, key_of

MOST_THINGS = 300
MODEL = re.compile(
    r"\b(?:(?:data|domain|information|object|conceptual|logical|entity) models?|entit(?:y|ies)(?! management)|"
    r"data dictionary|(?:business|data|domain|core) objects?|data structures?|database (?:schema|design|tables)|"
    r"data (?:requirements|schema|entities|definitions?)|er diagram|datenmodell|entitäten|modèle de données|"
    r"entités|modelo de d(?:atos|ados)|entidades|modello dei? dati|gegevensmodel)\b|"
    r"数据模型|数据字典|实体|データモデル|エンティティ|データ項目",
    re.IGNORECASE,
)
GLOSSARY = re.compile(
    r"\b(?:glossary|definitions?(?: of terms)?|(?:key |business )?terms(?: (?:and|&) (?:definitions|abbreviations|"
    r"acronyms))?$|terminology|key (?:terms|concepts)|"
    r"concepts|vocabulary|glossar|begriffe|glossaire|lexique|glosario|glossário|glossario|begrippen)\b|术语|用語|名词解释",
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
_ABBREVIATION = re.compile(r"[A-Z0-9/&-]{2,8}s?\Z")


def resources(parts: Sequence[Part], file: str) -> tuple[Resource, ...]:
    """Everything that a document says is kept, in order."""
    found: dict[tuple[str, ...], Resource] = {}
    for number, part in enumerate(parts):
        if foreign(part.path) or len(found) >= MOST_THINGS:
            continue
        for resource in _of_part(parts, number, file):
            key = key_of(resource.name) or (resource.name,)
            old = found.get(key)
            found[key] = resource if old is None else _merged(old, resource)
    return tuple(found.values())


def _merged(old: Resource, new: Resource) -> Resource:
    names = {f.name for f in old.fields}
    fields = (*old.fields, *(f for f in new.fields if f.name not in names))[:MOST_FIELDS]
    return replace(old, fields=fields, key=old.key or new.key, says=old.says or new.says)


def _of_part(parts: Sequence[Part], number: int, file: str) -> Iterator[Resource]:
    part = parts[number]
    block = part.block
    if is_entities(part):
        yield from entities(part, file)
    elif block.kind == "table":
        columns = header_of(block)
        if columns:
            yield from _field_table(parts, number, columns, file)
        elif _under(part.path, MODEL) or _under(part.path, GLOSSARY):
            yield from _term_table(part, file)
    elif block.kind == "terms" and not _under(part.path, _PEOPLE):
        yield from (
            _term(squeezed(row[0]), of_cell(row[1]), at, file)
            for row, at in zip(block.rows, block.places, strict=True)
            if _a_term(row[0])
        )
    elif block.kind == "heading" and _under(part.path[:-1], MODEL):
        yield from _section(parts, number, file)
    elif block.kind == "item" and block.level == 0 and _directly(part, MODEL):
        yield from _entity_item(parts, number, file)
    elif block.kind in ("item", "paragraph") and block.level == 0 and _directly(part, GLOSSARY):
        name, says = term_of(block)
        if name and says and _a_term(name):
            yield _term(name, says, block.at, file)


_PEOPLE = re.compile(r"\b(?:roles?|actors?|personas?|stakeholders?|users?)\b", re.IGNORECASE)


def _under(path: Sequence[str], form: re.Pattern[str]) -> bool:
    return any(form.search(name) for name in path[-3:])


def _directly(part: Part, form: re.Pattern[str]) -> bool:
    return (
        bool(part.path)
        and bool(form.search(part.path[-1]))
        and not (len(part.path) > 1 and _under(part.path[:-1], MODEL) and form is not MODEL)
    )


def _a_term(name: str, kept: bool = False) -> bool:
    """Tell whether a term may be the name of a thing: no abbreviation, and somebody only where it is said what is kept of them."""
    name = squeezed(name)
    short = 1 < len(name) <= 50 and len(name.split()) <= 4
    return short and not _ABBREVIATION.match(name) and (kept or not is_role(name.split()[-1]))


def _term(name: str, says: str, at: str, file: str) -> Resource:
    return Resource(bare(name).strip("`\"'*: "), (), says=says, origin="document", source=Source(file, at))


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
    for resource, fields in groups.items():
        yield Resource(
            resource,
            tuple(fields),
            tuple(f.name for f in fields if f.key),
            says=_says(parts, number),
            origin="document",
            source=Source(file, block.at),
        )


def _name_of_table(parts: Sequence[Part], number: int) -> str:
    """Return what a table of fields is about: the line right before it, or the nearest heading that is not only `Data model`."""
    before = parts[number - 1] if number else None
    if before is not None and before.block.kind in ("paragraph", "item") and before.section == parts[number].section:
        line = squeezed(before.block.lead or before.block.text)
        name = _named(line)
        if (
            len(line) <= 80
            and name
            and len(name.split()) <= 3
            and (line.endswith(":") or (len(line.split()) <= 4 and line[-1:] != "."))
        ):
            return name
    return next(
        (name for heading in reversed(parts[number].path) if (name := _named(heading)) and len(name.split()) <= 4), ""
    )


def _named(heading: str) -> str:
    """A heading without the words that only say that it heads a thing."""
    inner = re.search(r"[`“\"']([\w -]{2,40})[`”\"']", heading)
    if inner:
        return inner[1]
    text = re.sub(r"\([^()]{0,80}\)", " ", heading)
    return squeezed(_GENERIC.sub(" ", text).strip(" :.-–—/&"))


def _says(parts: Sequence[Part], number: int) -> str:
    """The first sentence or two under the heading of a thing."""
    section = parts[number].section
    before = [p for p in parts[max(0, number - 4) : number] if p.section == section and p.block.kind == "paragraph"]
    return squeezed(before[0].block.text)[:400] if before and len(squeezed(before[0].block.text).split()) > 4 else ""


def _term_table(part: Part, file: str) -> Iterator[Resource]:
    """A table of terms, or of entities with what they hold."""
    block = part.block
    rows = list(zip(block.rows, block.places, strict=True))[1 if block.headed else 0 :]
    for row, at in rows:
        name = squeezed(row[0]).strip("`*")
        if _a_term(name, _under(part.path, MODEL)) and len(row) > 1:
            says = of_cell(row[1])
            fields = _comma_fields(says, Source(file, at)) if _under(part.path, MODEL) else ()
            yield Resource(name, fields, says="" if fields else says, origin="document", source=Source(file, at))


def _section(parts: Sequence[Part], number: int, file: str) -> Iterator[Resource]:
    """A heading under a data model, with the items below it as fields."""
    part = parts[number]
    name = _named(part.heading) or part.heading
    if (
        MODEL.search(part.heading)
        or GLOSSARY.search(part.heading)
        or len(name.split()) > 4
        or re.search(r"\b(?:relationships?|diagram|constraints?|notes?|indexes|rules?)\b", name, re.IGNORECASE)
    ):
        return
    fields: list[Field] = []
    says, items = "", 0
    for after in parts[number + 1 : number + 1 + MOST_FIELDS]:
        if after.section != part.section:
            break
        block = after.block
        if block.kind == "table" and header_of(block):
            return
        if block.kind == "paragraph" and not says:
            says = squeezed(block.text)[:400]
        elif block.kind == "item" and block.level == 0:
            items += 1
            found = of_item(block, Source(file, block.at))
            fields += [found] if found is not None else []
    if items and len(fields) * 2 >= items:
        yield Resource(
            name,
            tuple(fields),
            tuple(f.name for f in fields if f.key),
            says=says,
            origin="document",
            source=Source(file, part.block.at),
        )
    elif says or not items:
        yield Resource(name, (), says=says, origin="document", source=Source(file, part.block.at))


def _entity_item(parts: Sequence[Part], number: int, file: str) -> Iterator[Resource]:
    """An item under a data model: a name with fields in brackets, after a colon, or as items below it."""
    block = parts[number].block
    source = Source(file, block.at)
    below = _below(parts, number)
    text = bare(block.text)
    inline = _INLINE.match(text)
    name, rest = term_of(block)
    if below:
        fields = tuple(f for b in below if (f := of_item(b, Source(file, b.at))) is not None)
        if name and fields:
            yield Resource(
                name, fields, tuple(f.name for f in fields if f.key), says=rest, origin="document", source=source
            )
    elif inline and not block.lead:
        yield Resource(inline[1].strip(), _comma_fields(inline[2], source), origin="document", source=source)
    elif name and _a_term(name, kept=True) and (rest or len(name.split()) <= 3):
        fields = _comma_fields(rest.strip("()"), source)
        yield Resource(name, fields, says="" if fields else rest, origin="document", source=source)


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
