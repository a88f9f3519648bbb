"""Types written in TypeScript, as documents quote them: interfaces, object types, unions of words and enums. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from worldwright.anchor.evidence import Field, Resource, Shape, Source
from worldwright.anchor.schema.type_words import shape_of_words

MOST_LINES = 2_000
_COMMENTS = r"(?:^[ \t]*(?://|/?\*).*\n)*+"
_TYPE = re.compile(
    rf"(?P<says>{_COMMENTS})^[ \t]*(?:export\s+)?(?P<what>interface|type|(?:const\s+)?enum)\s+(?P<name>\w+)[^={{;\n]*=?\s*"
    r"\{(?P<body>(?:[^{}]|\{[^{}]*\})*+)\}",
    re.MULTILINE,
)
_UNION = re.compile(
    r"^\s*(?:export\s+)?type\s+(\w+)\s*=\s*((?:\|?\s*['\"][^'\"\n]{1,80}['\"]\s*)++)(?:;|$)", re.MULTILINE
)
_INNER = re.compile(r"\{[^{}]*\}")
_FIELD = re.compile(
    rf"(?P<before>{_COMMENTS})(?:^|(?<=[;,]))[ \t]*(?:readonly )?['\"]?(?P<name>\w+)['\"]?(?P<open>\?)?[ \t]*:[ \t]*"
    r"(?P<type>[^;,\n/]+)[;,]?(?:[ \t]*(?://|/\*)(?P<says>.*))?",
    re.MULTILINE,
)
_MEMBER = re.compile(r"^\s*(\w+)(?:\s*=\s*['\"]?([^'\",/]+)['\"]?)?", re.MULTILINE)
_SPELT = {"Date": "datetime"}
_WORDS = re.compile(r"['\"]([^'\"]+)['\"]")


def read_types(text: str, file: str, line: int) -> Iterator[Resource]:
    """The object types in a text that starts at this line of a file; enums and unions are the words of their fields."""
    text = "\n".join(text.split("\n")[:MOST_LINES])
    found = list(_TYPE.finditer(text))
    words = {m[1]: tuple(_WORDS.findall(m[2])) for m in _UNION.finditer(text)}
    for one in (m for m in found if m["what"].endswith("enum")):
        words[one["name"]] = tuple(m[2] or m[1] for m in _MEMBER.finditer(one["body"].replace(",", "\n")))
    named = {m["name"] for m in found if not m["what"].endswith("enum")}
    for one in (m for m in found if m["name"] in named):
        first, start = (line + text.count("\n", 0, one.start(group)) for group in ("what", "body"))
        body = _INNER.sub(lambda m: "{" + "\n" * m[0].count("\n") + "}", one["body"])
        fields = tuple(
            _field(m, Source(file, f"{at}-{at}"), words, named)
            for m in _FIELD.finditer(body)
            for at in (start + body.count("\n", 0, m.start("name")),)
        )
        source = Source(file, f"{first}-{start + body.count(chr(10))}")
        key = tuple(f.name for f in fields if f.key)
        if fields:
            yield Resource(one["name"], fields, key, says=_said(one["says"]), origin="document", source=source)


def _said(comment: str) -> str:
    return " ".join(said for row in comment.split("\n") if (said := row.strip(" \t/*")))


def _field(found: re.Match[str], source: Source, words: Mapping[str, tuple[str, ...]], named: set[str]) -> Field:
    parts = [p.strip() for p in found["type"].split("|")]
    plain = [p for p in parts if p not in ("null", "undefined", "")]
    to = plain[0] if plain and plain[0] in named else ""
    shape = replace(Shape("any") if to else _shape(plain, words), nullable=len(parts) > len(plain))
    says = _said(f"{found['before']}\n{found['says'] or ''}")
    needed = not found["open"] and not shape.nullable
    return Field(found["name"], shape, needed, found["name"] == "id", refers_to=to, says=says, source=source)


def _shape(plain: list[str], words: Mapping[str, tuple[str, ...]]) -> Shape:
    quoted = tuple(m[1] for p in plain if (m := _WORDS.fullmatch(p)))
    if quoted and len(quoted) == len(plain):
        return Shape("string", enum=quoted)
    one = plain[0] if len(plain) == 1 else ""
    if one in words:
        return Shape("string", enum=words[one], name=one)
    listed = one.endswith("[]") or one.startswith("Array<")
    typed = _SPELT.get(one, one) if one.isidentifier() or not one else "object"
    return shape_of_words("array" if listed else typed)
