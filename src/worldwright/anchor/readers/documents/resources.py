"""The things that a document describes by its form: tables and lists of fields, a data model, diagrams of entities.

A thing has fields. What a text only speaks of is left to whoever reads it: nouns make no tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from worldwright.anchor.claims.about import heading_about
from worldwright.anchor.claims.sentences import BREAK
from worldwright.anchor.evidence import Field, Resource, Shape, Source
from worldwright.anchor.names import noun
from worldwright.anchor.readers.documents.blocks import Block, bare, squeezed
from worldwright.anchor.readers.documents.outline import Part
from worldwright.anchor.schema.type_words import shape_of_words
from worldwright.english.words import wordset

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


def resources(parts: Sequence[Part], file: str) -> dict[tuple[str, ...], Resource]:
    """Everything that a document says is kept, in order, by the words of its name."""
    found: dict[tuple[str, ...], Resource] = {}
    for number, part in enumerate(parts):
        if len(found) < MOST_THINGS and heading_about(part.path)[0] != "process":
            for name, fields, at, says in _of_part(parts, number, file):
                if fields:
                    name, key = bare(name).strip("`\"'*: "), tuple(f.name for f in fields if f.key)
                    source = Source(file, at)
                    add_resource(found, Resource(name, tuple(fields), key, says=says, origin="document", source=source))
    return found


def add_resource(found: dict[tuple[str, ...], Resource], new: Resource) -> None:
    """Put a thing to those that were found; of one that is there already, what it lacks is added."""
    old = found.setdefault(noun(new.name) or (new.name,), new)
    names = {f.name for f in old.fields}
    fields = (*old.fields, *(f for f in new.fields if f.name not in names))[:MOST_FIELDS]
    if old is not new:
        found[noun(new.name) or (new.name,)] = replace(
            old, fields=fields, key=old.key or new.key, says=old.says or new.says
        )


Found = tuple[str, Sequence[Field], str, str]
"""A thing: its name, its fields, where it stands, and what is said of it."""


def _of_part(parts: Sequence[Part], number: int, file: str) -> Iterator[Found]:
    part = parts[number]
    block = part.block
    modelled = any(MODEL.search(name) for name in part.path[-3:])
    columns = header_of(block) if block.kind == "table" else {}
    if columns:
        yield from _field_table(parts, number, columns, file)
    elif block.kind == "table" and modelled:
        for row, at in list(zip(block.rows, block.places, strict=True))[1 if block.headed else 0 :]:
            if len(row) > 1 and 0 < len(squeezed(row[0]).split()) <= 4:
                yield squeezed(row[0]), _comma_fields(of_cell(row[1]), Source(file, at)), at, ""
    elif block.kind == "heading":
        yield from _section(parts, number, any(MODEL.search(name) for name in part.path[:-1][-3:]), file)
    elif block.kind == "item" and block.level == 0 and part.path and MODEL.search(part.path[-1]):
        yield from _entity_item(parts, number, file)


def _field_table(parts: Sequence[Part], number: int, columns: dict[str, int], file: str) -> Iterator[Found]:
    """A table of fields as one thing, or as several where a column names them."""
    block = parts[number].block
    groups: dict[str, list[Field]] = {}
    name = "" if "entity" in columns else _name_of_table(parts, number)
    for row, at in zip(block.rows[1 : MOST_FIELDS + 1], block.places[1:], strict=False):
        name = (squeezed(row[columns["entity"]]).strip("`*") if "entity" in columns else "") or name
        found = of_row(row, columns, Source(file, at))
        if found is not None and name:
            groups.setdefault(name, []).append(found)
    yield from ((name, fields, block.at, "") for name, fields in groups.items())


def _name_of_table(parts: Sequence[Part], number: int) -> str:
    """Return what a table of fields is about: the line right before it, or the nearest heading that is not only `Data model`."""
    before = parts[number - 1] if number else parts[number]
    if before.block.kind in ("paragraph", "item") and before.section == parts[number].section:
        line = squeezed(before.block.lead or before.block.text)
        titled = line.endswith(":") or (len(line.split()) <= 4 and line[-1:] != ".")
        if len(line) <= 80 and 0 < len(_named(line).split()) <= 3 and titled:
            return _named(line)
    return next((n for h in reversed(parts[number].path) if (n := _named(h)) and len(n.split()) <= 4), "")


def _named(heading: str) -> str:
    """A heading without the words that only say that it heads a thing."""
    inner = re.search(r"[`“\"']([\w -]{2,40})[`”\"']", heading)
    if inner:
        return inner[1]
    return squeezed(_GENERIC.sub(" ", re.sub(r"\([^()]{0,80}\)", " ", heading)).strip(" :.-–—/&"))


def _section(parts: Sequence[Part], number: int, modelled: bool, file: str) -> Iterator[Found]:
    """A heading with the items below it as fields: any under a data model, elsewhere where most of them name a type."""
    part = parts[number]
    name = _named(part.heading) or part.heading
    if MODEL.search(part.heading) or len(name.split()) > 4 or _NO_THING.search(name):
        return
    below = [p.block for p in parts[number + 1 : number + 1 + MOST_FIELDS] if p.section == part.section]
    below = list(takewhile(lambda b: not (b.kind == "table" and header_of(b)), below))
    says = next((squeezed(b.text)[:400] for b in below if b.kind == "paragraph"), "")
    items = [b for b in below if b.kind == "item" and b.level == 0]
    found = (of_item(b, Source(file, b.at), strict=not modelled) for b in items)
    fields = [f for f in found if f is not None]
    if len(fields) * 2 >= len(items) and len(fields) >= (1 if modelled else 2):
        yield name, fields, part.block.at, says


def _entity_item(parts: Sequence[Part], number: int, file: str) -> Iterator[Found]:
    """An item under a data model: a name with fields in brackets, after a colon, or as items below it."""
    block = parts[number].block
    source = Source(file, block.at)
    after = (p.block for p in parts[number + 1 : number + 1 + MOST_FIELDS])
    below = [b for b in takewhile(lambda b: b.kind == "item" and b.level > 0, after) if b.level == 1]
    inline = _INLINE.match(bare(block.text))
    name, rest = term_of(block)
    if below and name:
        yield name, [f for b in below if (f := of_item(b, Source(file, b.at))) is not None], block.at, rest
    elif inline and not block.lead and not below:
        yield inline[1], _comma_fields(inline[2], source), block.at, ""
    elif name and not below and len(name.split()) <= 4:
        yield name, _comma_fields(rest.strip("()"), source), block.at, ""


def _comma_fields(text: str, source: Source) -> list[Field]:
    """Names between commas as fields; nothing where the text is a sentence."""
    names = [n for raw in re.split(r",|;|\band\b", squeezed(text)[:1_000]) if (n := bare(raw).strip("`\"'*. "))]
    if len(names) < 2 or any(len(n.split()) > 3 or len(n) > 40 or not n[0].isalpha() for n in names):
        return []
    return [Field(n, Shape("any"), source=source) for n in dict.fromkeys(names)]


# Fields: from a table with a column of names, from `name (type, required): what it is`, from a list of names.


MOST_FIELDS = 200


def _form(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{text})\Z", re.IGNORECASE)


_COLUMNS: dict[str, re.Pattern[str]] = {
    "entity": _form(r"(?:entity|table|object|model|class|entität|tabelle|实体|エンティティ)(?: ?name)?"),
    "type": _form(r"(?:data ?|field ?)?(?:types?|formats?|datentyp|typ|tipo|类型|型|データ型)(?:\s?/.*)?"),
    "required": _form(
        r"(?:is )?(?:required|mandatory|optional|nullable|null|not null|obligatory|m/o|o/m|pflicht(?:feld)?|obligatoire|"
        r"obligatorio|requerido|obrigatório|verplicht|必填|必須)(?:\s?[?/].*)?"
    ),
    "says": _form(
        r"descriptions?|meaning|definition|notes?|comments?|remarks?|beschreibung|descripción|descrição|descrizione|"
        r"omschrijving|描述|说明|説明|備考"
    ),
    "values": _form(r"(?:allowed |valid |possible )?(?:values?|options?|enum|examples?|werte|valeurs|valores)"),
    "facts": _form(r"constraints?|keys?|rules?|validations?|attributes?|einschränkungen|contraintes|restricciones"),
    "default": _form(r"defaults?(?: value)?"),
    "place": _form(r"in|location|where|place"),
    "name": _form(
        r"(?:data )?(?:fields?|attributes?|columns?|propert(?:y|ies)|parameters?|params?|elements?|arguments?|feld|"
        r"spalte|champ|attribut|campo|atributo|veld|字段|属性|項目|フィールド)(?: ?names?)?"
    ),
}
"""What a column of a field list is, by its head."""
_PLAIN_NAME = _form(r"names?|bezeichnung|nom|nombre|nome|naam|名称|名前")
_NEEDED = re.compile(r"\b(?:required|mandatory|not null)\b(?! (?:if|when|for))", re.IGNORECASE)
_YES = wordset("yes y true required mandatory m x ✓ ✔ ✅ must ja oui sí si sim 1 是 必填 必須 ○") | {"not null"}
_NO = wordset("no n false nein non não 0 否")
_OPEN = frozenset({"", "-", "–", "optional", "o", "null", "nullable"})
_REFERS = re.compile(
    r"\b(?:fk|foreign key|references?|reference to|refers to|ref(?:erence)?)\b[\s:(→>-]{1,5}(?:to )?(?:the )?([A-Za-z_][\w]{1,40})",
    re.IGNORECASE,
)
_KEY = re.compile(r"\b(?:pk|primary key|primärschlüssel)\b", re.IGNORECASE)
_UNIQUE = re.compile(r"\bunique\b", re.IGNORECASE)
_BRACKETS = r"(?:\((?P<round>[^()]{1,160})\)|\[(?P<square>[^\[\]]{1,160})\])?"
_FACTS = re.compile(rf"\s*{_BRACKETS}")
_ITEM = re.compile(rf"(?P<name>[^\W\d][\w .\-/]{{0,48}}?)\s?{_BRACKETS}\s?(?:[:：–—]|\s-\s|$)\s*")


def header_of(block: Block) -> dict[str, int]:
    """Return what the columns of a field list are; nothing where a table is none."""
    if not block.headed or len(block.rows) < 2:
        return {}
    header = [squeezed(c).strip("*` ") for c in block.rows[0]]
    out: dict[str, int] = {}
    for column, text in enumerate(header):
        what = next((w for w, form in _COLUMNS.items() if w not in out and form.match(text)), "")
        if what:
            out[what] = column
        if what == "required" and re.match(r"optional|null", text, re.IGNORECASE):
            out["inverted"] = column
    if "name" not in out and "type" in out:
        out |= next(({"name": n} for n, text in enumerate(header) if _PLAIN_NAME.match(text)), {})
    told = "type" in out or "required" in out or ("says" in out and len(header) <= 5)
    return out if "name" in out and told else {}


def of_row(row: Sequence[str], columns: dict[str, int], source: Source) -> Field | None:
    """A row of a field list as a field."""
    cells = {what: squeezed(row[column]) for what, column in columns.items()}
    name = bare(cells["name"]).strip("`\"'* ")
    if not name or len(name) > 60 or len(name.split()) > 6:
        return None
    says = of_cell(row[columns["says"]]) if "says" in columns else ""
    typed, default = cells.get("type", ""), cells.get("default", "").strip("`'\"")
    facts = f"{typed} {cells.get('facts', '')}"
    shape = shape_of_words(typed, cells.get("values", ""), says)
    shape = replace(shape, default=None if default.lower() in _NO | _OPEN | {"none"} else default)
    need = cells.get("required", "").lower()
    if "inverted" in cells:
        needed = need in _NO
    elif "required" in cells:
        needed = need in _YES or need.startswith(("yes", "required", "mandatory"))
    else:
        needed = bool(_NEEDED.search(facts))
    return _field(name, shape, needed, f"{facts} {says}", says, source)


def _field(name: str, shape: Shape, needed: bool, facts: str, says: str, source: Source) -> Field:
    """A field with what is said of it: whether it is a key or unique, and what it refers to."""
    refers, key, unique = _REFERS.search(facts), bool(_KEY.search(facts)), bool(_UNIQUE.search(facts))
    return Field(name, shape, needed, key, unique, refers[1] if refers else "", says=says, source=source)


def of_item(block: Block, source: Source, strict: bool = False) -> Field | None:
    """A list item such as `amount (money, required): what is claimed` as a field; with `strict` only where it names a type."""
    text = bare(block.text.replace("\x0b", " "))
    lead = bare(block.lead).rstrip(":： ")
    led = bool(lead) and text.startswith(lead)
    found = _FACTS.match(text, len(lead)) if led else _ITEM.match(text)
    if not found:
        return None
    name, facts = lead if led else found["name"].strip(), found["round"] or found["square"] or ""
    says = text[found.end() :].lstrip(":：–—- " if led else " ")
    if not name or len(name.split()) > 4 or len(name) > 48 or (strict and shape_of_words(facts).kind == "any"):
        return None
    marked = f"{facts} {says if not facts else ''}"
    needed = bool(_NEEDED.search(marked)) and "not required" not in marked.lower()
    return _field(name, shape_of_words(facts or says, "", says), needed, marked, says, source)


# A list item as a term and what is said of it: `Manager: approves claims`, `**Staff** - submit claims`.


LONGEST_TERM = 60
_SPLIT = re.compile(r"\s?[:：]\s+|\s[-–—]\s|[:：]$|：|\s?=>?\s|\s\|\s")


def term_of(block: Block) -> tuple[str, str]:
    """The term that an item starts with and the rest of it; no term where it is a plain sentence."""
    text = bare(block.text.replace(BREAK, " "))
    lead = bare(block.lead).rstrip(":：. ")
    if lead and text.startswith(lead) and len(lead) <= LONGEST_TERM:
        return lead, bare(text[len(lead) :].lstrip(":：-–— "))
    found = _SPLIT.search(text[: LONGEST_TERM + 20])
    if found and 0 < found.start() <= LONGEST_TERM and "," not in text[: found.start()]:
        return squeezed(text[: found.start()]), bare(text[found.end() :])
    return "", text


def of_cell(cell: str) -> str:
    """The text of a cell on one line: what stands on lines of its own in it is parted by semicolons."""
    lines = [line for part in cell.split(BREAK) if (line := bare(part))]
    return re.sub(r"(?<=[.;:!?]); ", " ", "; ".join(lines)) if len(lines) > 1 else "".join(lines)
