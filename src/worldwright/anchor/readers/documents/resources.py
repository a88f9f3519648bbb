"""The things that a document describes by its form: tables of fields.

A thing has fields. What a text only speaks of, in sentences or lists, is left to whoever reads it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from worldwright.anchor.claims.about import heading_about
from worldwright.anchor.claims.sentences import BREAK
from worldwright.anchor.evidence import Field, Resource, Shape, Source
from worldwright.anchor.names import noun
from worldwright.anchor.readers.documents.blocks import Block, bare, squeezed
from worldwright.anchor.readers.documents.outline import Part
from worldwright.anchor.schema.type_words import shape_of_words
from worldwright.english.words import wordset

MOST_THINGS = 300
_GENERIC = re.compile(
    r"\b(?:the|entity|entities|tables?|objects?|data|fields?|attributes?|columns?|schema|models?|structures?|"
    r"details?|definitions?|propert(?:y|ies)|records?|information|dictionary|"
    r"list|of|for|requirements?|database|domain|core|key|main|form|elements?|each|an?|has|have|following|with|"
    r"contains?|includes?|are|is|specification|overview|input)\b",
    re.IGNORECASE,
)


def resources(parts: Sequence[Part], file: str) -> dict[tuple[str, ...], Resource]:
    """Every thing that a table of fields shows, in order, by the words of its name."""
    found: dict[tuple[str, ...], Resource] = {}
    for number, part in enumerate(parts):
        columns = header_of(part.block)
        if columns and len(found) < MOST_THINGS and heading_about(part.path)[0] != "process":
            for name, fields in _field_table(parts, number, columns, file).items():
                key, source = tuple(f.name for f in fields if f.key), Source(file, part.block.at)
                named = bare(name).strip("`\"'*: ")
                add_resource(found, Resource(named, tuple(fields), key, origin="document", source=source))
    return found


def add_resource(found: dict[tuple[str, ...], Resource], new: Resource) -> None:
    """Put a thing to those that were found; of one that is there already, what it lacks is added."""
    words = noun(new.name) or (new.name,)
    old = found.setdefault(words, new)
    names = {f.name for f in old.fields}
    fields = (*old.fields, *(f for f in new.fields if f.name not in names))[:MOST_FIELDS]
    found[words] = replace(old, fields=fields, key=old.key or new.key, says=old.says or new.says)


def _field_table(parts: Sequence[Part], number: int, columns: dict[str, int], file: str) -> dict[str, list[Field]]:
    """The fields of a table by the name of their thing: the table's own, or what a column says."""
    block = parts[number].block
    groups: dict[str, list[Field]] = {}
    name = "" if "entity" in columns else _name_of_table(parts, number)
    for row, at in zip(block.rows[1 : MOST_FIELDS + 1], block.places[1:], strict=False):
        name = (squeezed(row[columns["entity"]]).strip("`*") if "entity" in columns else "") or name
        found = of_row(row, columns, Source(file, at))
        if found is not None and name:
            groups.setdefault(name, []).append(found)
    return groups


def _name_of_table(parts: Sequence[Part], number: int) -> str:
    """Return what a table of fields is about: the line right before it, or the nearest heading that is not only `Data model`."""
    before = parts[max(0, number - 1)]
    line = squeezed(before.block.lead or before.block.text)[:200] if before.section == parts[number].section else ""
    titled = line.endswith(":") or (len(line.split()) <= 4 and line[-1:] != ".")
    if before.block.kind in ("paragraph", "item") and titled and 0 < len(_named(line).split()) <= 3:
        return _named(line)
    return next((n for h in reversed(parts[number].path) if (n := _named(h)) and len(n.split()) <= 4), "")


def _named(heading: str) -> str:
    """A heading without the words that only say that it heads a thing."""
    inner = re.search(r"[`“\"']([\w -]{2,40})[`”\"']", heading)
    if inner:
        return inner[1]
    return squeezed(_GENERIC.sub(" ", re.sub(r"\([^()]{0,80}\)", " ", heading)).strip(" :.-–—/&"))


# Fields: from a table with a column of names, from `name (type, required): what it is`.


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
    "plain": _form(r"names?|bezeichnung|nom|nombre|nome|naam|名称|名前"),
}
"""What a column of a field list is, by its head; a plain name is one of a field where types stand beside it."""
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
_ITEM = re.compile(
    r"(?P<name>[^\W\d][\w .\-/]{0,48}?)\s?(?:\((?P<round>[^()]{1,160})\)|\[(?P<square>[^\[\]]{1,160})\])\s*[:：–—-]*\s*"
)


def header_of(block: Block) -> dict[str, int]:
    """Return what the columns of a field list are; nothing where a table is none."""
    out: dict[str, int] = {}
    for column, text in enumerate(block.header if len(block.rows) > 1 else ()):
        what = next((w for w, form in _COLUMNS.items() if w not in out and form.match(text)), "")
        if what:
            out[what] = column
        if what == "required" and re.match(r"optional|null", text, re.IGNORECASE):
            out["inverted"] = column
    if "plain" in out and "type" in out:
        out.setdefault("name", out["plain"])
    told = "type" in out or "required" in out or ("says" in out and len(block.header) <= 5)
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


def of_item(block: Block, source: Source) -> Field | None:
    """A list item such as `amount (money, required): what is claimed` as a field, where it names a type."""
    text = bare(block.text.replace(BREAK, " "))
    found = _ITEM.match(text)
    facts = (found["round"] or found["square"]) if found else ""
    if not found or shape_of_words(facts).kind == "any" or len(found["name"].split()) > 4:
        return None
    says = text[found.end() :]
    needed = bool(_NEEDED.search(facts)) and "not required" not in facts.lower()
    return _field(found["name"].strip(), shape_of_words(facts, "", says), needed, facts, says, source)


def of_cell(cell: str) -> str:
    """The text of a cell on one line: what stands on lines of its own in it is parted by semicolons."""
    lines = [line for part in cell.split(BREAK) if (line := bare(part))]
    return re.sub(r"(?<=[.;:!?]); ", " ", "; ".join(lines)) if len(lines) > 1 else "".join(lines)
