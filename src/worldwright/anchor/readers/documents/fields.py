"""Fields of a thing: from a table with a column of names, from `name (type, required): what it is`, from a list of names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from worldwright.anchor.claims.sentences import BREAK
from worldwright.anchor.evidence import Field, Shape, Source
from worldwright.anchor.readers.documents.blocks import Block, bare, squeezed
from worldwright.anchor.schema.type_words import shape_of_words

MOST_FIELDS = 200


def _form(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{text})\Z", re.IGNORECASE)


_COLUMNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("entity", _form(r"(?:entity|table|object|model|class|entität|tabelle|实体|エンティティ)(?: ?name)?")),
    ("type", _form(r"(?:data ?|field ?)?(?:types?|formats?|datentyp|typ|tipo|类型|型|データ型)(?:\s?/.*)?")),
    (
        "required",
        _form(
            r"(?:is )?(?:required|mandatory|optional|nullable|null|not null|obligatory|m/o|o/m|pflicht(?:feld)?|"
            r"obligatoire|"
            r"obligatorio|requerido|obrigatório|verplicht|必填|必須)(?:\s?[?/].*)?"
        ),
    ),
    (
        "says",
        _form(
            r"descriptions?|meaning|definition|notes?|comments?|remarks?|beschreibung|descripción|descrição|descrizione|"
            r"omschrijving|描述|说明|説明|備考"
        ),
    ),
    ("values", _form(r"(?:allowed |valid |possible )?(?:values?|options?|enum|examples?|werte|valeurs|valores)")),
    ("facts", _form(r"constraints?|keys?|rules?|validations?|attributes?|einschränkungen|contraintes|restricciones")),
    ("default", _form(r"defaults?(?: value)?")),
    ("place", _form(r"in|location|where|place")),
    (
        "name",
        _form(
            r"(?:data )?(?:fields?|attributes?|columns?|propert(?:y|ies)|parameters?|params?|elements?|arguments?|feld|"
            r"spalte|champ|"
            r"attribut|campo|atributo|veld|字段|属性|項目|フィールド)(?: ?names?)?"
        ),
    ),
)
"""What a column of a field list is, by its head."""
_PLAIN_NAME = _form(r"names?|bezeichnung|nom|nombre|nome|naam|名称|名前")
_NEEDED = re.compile(r"\b(?:required|mandatory|not null)\b(?! (?:if|when|for))", re.IGNORECASE)
_YES = frozenset(
    (
        "yes", "y", "true", "required", "mandatory", "m", "x", "✓", "✔", "✅", "must", "ja", "oui", "sí", "si",
        "sim", "1", "not null", "是", "必填", "必須", "○",
    )
)  # fmt: skip
_NO = frozenset(
    ("no", "n", "false", "optional", "o", "-", "–", "", "nein", "non", "não", "0", "null", "nullable", "否")
)

_REFERS = re.compile(
    r"\b(?:fk|foreign key|references?|reference to|refers to|"
    r"ref(?:erence)?)\b[\s:(→>-]{1,5}(?:to )?(?:the )?([A-Za-z_][\w]{1,40})",
    re.IGNORECASE,
)
_KEY = re.compile(r"\b(?:pk|primary key|primärschlüssel)\b", re.IGNORECASE)
_UNIQUE = re.compile(r"\bunique\b", re.IGNORECASE)
_ITEM = re.compile(r"([^\W\d][\w .\-/]{0,48}?)\s?(?:\(([^()]{1,160})\)|\[([^\[\]]{1,160})\])?\s?(?:[:：–—]|\s-\s|$)\s*")


def header_of(block: Block) -> dict[str, int]:
    """Return what the columns of a field list are; nothing where a table is none."""
    if not block.headed or len(block.rows) < 2:
        return {}
    header = [squeezed(c).strip("*` ") for c in block.rows[0]]
    out: dict[str, int] = {}
    for column, text in enumerate(header):
        what = next((w for w, form in _COLUMNS if w not in out and form.match(text)), "")
        if what:
            out[what] = column
        if what == "required" and re.match(r"optional|null", text, re.IGNORECASE):
            out["inverted"] = column
    if "name" not in out:
        named = next((n for n, text in enumerate(header) if _PLAIN_NAME.match(text)), -1)
        if named < 0 or "type" not in out:
            return {}
        out["name"] = named
    return out if "type" in out or "required" in out or ("says" in out and len(header) <= 5) else {}


def of_row(row: Sequence[str], columns: dict[str, int], source: Source) -> Field | None:
    """A row of a field list as a field."""
    name = bare(squeezed(row[columns["name"]])).strip("`\"'* ")
    if not name or len(name) > 60 or len(name.split()) > 6:
        return None
    starred = name.endswith("*")

    def cell(what: str) -> str:
        return squeezed(row[columns[what]]) if what in columns else ""

    says = of_cell(row[columns["says"]]) if "says" in columns else ""
    typed, values, need, default = cell("type"), cell("values"), cell("required").lower(), cell("default").strip("`'\"")
    facts = f"{typed} {cell('facts')}"
    shape = replace(shape_of_words(typed, values, says), default=None if default.lower() in (*_NO, "none") else default)
    needed = bool(_NEEDED.search(facts)) if "required" not in columns else _required(need, "inverted" in columns)
    return _field(name.rstrip("* "), shape, needed or starred, f"{facts} {says}", says, source)


def _field(name: str, shape: Shape, needed: bool, facts: str, says: str, source: Source) -> Field:
    """A field with what is said of it: whether it is a key or unique, and what it refers to."""
    refers, key, unique = _REFERS.search(facts), bool(_KEY.search(facts)), bool(_UNIQUE.search(facts))
    return Field(name, shape, needed, key, unique, refers[1] if refers else "", says=says, source=source)


def _required(need: str, inverted: bool) -> bool:
    """Tell whether a cell says that a field must be given; in a column named `optional` it is meant the other way round."""
    if inverted:
        return need in _NO and need not in ("", "-", "–", "optional", "o", "null", "nullable")
    return need in _YES or need.startswith(("yes", "required", "mandatory"))


def of_item(block: Block, source: Source, strict: bool = False) -> Field | None:
    """A list item such as `amount (money, required): what is claimed` as a field; with `strict` only where it names a type."""
    text = bare(block.text.replace("\x0b", " "))
    lead = bare(block.lead).rstrip(":： ")
    if lead and text.startswith(lead):
        name, rest = lead, text[len(lead) :].strip()
        inner = re.match(r"\(([^()]{1,160})\)|\[([^\[\]]{1,160})\]", rest)
        facts = (inner[1] or inner[2]) if inner else ""
        says = rest[inner.end() if inner else 0 :].lstrip(":：–—- ")
    else:
        found = _ITEM.match(text)
        if not found or not found[1].strip():
            return None
        name, facts, says = found[1].strip(), found[2] or found[3] or "", text[found.end() :].strip()
    if len(name.split()) > 4 or len(name) > 48:
        return None
    if strict and shape_of_words(facts).kind == "any":
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
    lines = [bare(line) for line in cell.split(BREAK)]
    out = ""
    for line in lines:
        if line:
            out += (" " if out[-1:] in ".;:!?" else "; ") + line if out else line
    return out
