"""Fields of a thing: from a table with a column of names, from `name (type, required): what it is`, from a list of names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from worldwright.anchor.claims.sentences import BREAK
from worldwright.anchor.evidence import Field, Shape, Source
from worldwright.anchor.readers.documents.blocks import Block, bare, squeezed
from worldwright.anchor.schema.type_words import shape_of_words
from worldwright.english.words import wordset

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
