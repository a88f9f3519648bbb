"""Types written in TypeScript, as documents quote them: interfaces, object types, unions of words and enums. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from worldwright.anchor.evidence import Field, Resource, Shape, Source

MOST_LINES = 5_000
_TYPE = re.compile(
    r"(?P<says>(?:^[ \t]*(?://|/?\*).*\n)*+)^[ \t]*(?:export\s+)?(?:declare\s+)?"
    r"(?P<what>interface|type|(?:const\s+)?enum)\s+(?P<name>\w+)[^={;\n]*=?\s*\{(?P<body>(?:[^{}]|\{[^{}]*\})*+)\}",
    re.MULTILINE,
)
_UNION = re.compile(
    r"^\s*(?:export\s+)?type\s+(\w+)\s*=\s*((?:\|?\s*['\"][^'\"\n]{1,80}['\"]\s*)++)(?:;|$)", re.MULTILINE
)
_FIELD = re.compile(
    r"\s*(?:public |private |readonly )*['\"]?(?P<name>\w+)['\"]?(?P<open>\?)?\s*:\s*(?P<type>[^/;]+?)\s*[;,]?\s*"
    r"(?:(?://|/\*\*?)\s*(?P<says>.*?)(?:\*/)?)?\s*$"
)
_MEMBER = re.compile(r"\s*(\w+)(?:\s*=\s*['\"]?([^'\",/]+)['\"]?)?\s*(?://.*)?$")
_COMMENT = re.compile(r"\s*(?://|/?\*+)\s*(.*?)(?:\*/)?\s*$")
_WORDS = re.compile(r"['\"]([^'\"]+)['\"]")
_KINDS: Mapping[str, tuple[str, str]] = {
    "string": ("string", ""), "number": ("number", ""), "boolean": ("boolean", ""), "date": ("string", "date-time"),
    "bigint": ("integer", ""), "uuid": ("string", "uuid"), "int": ("integer", ""), "integer": ("integer", ""),
    "decimal": ("number", "decimal"), "any": ("any", ""), "unknown": ("any", ""), "object": ("object", ""),
}  # fmt: skip
"""What a type of the language is."""


def read_types(text: str, file: str, line: int) -> Iterator[Resource]:
    """The object types in a text that starts at this line of a file; enums and unions are the words of their fields."""
    text = "\n".join(text.split("\n")[:MOST_LINES])
    found = list(_TYPE.finditer(text))
    words = {m[1]: tuple(_WORDS.findall(m[2])) for m in _UNION.finditer(text)}
    for one in found:
        if one["what"].endswith("enum"):
            members = (_MEMBER.match(row) for row in re.split(r"[,\n]", one["body"]) if row.strip())
            words[one["name"]] = tuple(m[2] or m[1] for m in members if m)
    named = {m["name"] for m in found if not m["what"].endswith("enum")}
    for one in (m for m in found if m["name"] in named):
        first = line + text.count("\n", 0, one.start("what"))
        rows = list(_rows(one["body"], first + text.count("\n", one.start("what"), one.start("body"))))
        fields = tuple(_field(found, said, Source(file, f"{at}-{at}"), words, named) for at, found, said in rows)
        source = Source(file, f"{first}-{max((at for at, _, _ in rows), default=first) + 1}")
        key = tuple(f.name for f in fields if f.key)
        if rows:
            yield Resource(one["name"], fields, key, says=_said(one["says"]), origin="document", source=source)


def _said(comment: str) -> str:
    return " ".join(s for row in comment.split("\n") if (m := _COMMENT.match(row)) and (s := m[1].strip(" /")))


def _rows(body: str, line: int) -> Iterator[tuple[int, re.Match[str], str]]:
    """The fields of a type, each with its line and the comment before it; what stands in braces is left out."""
    body = re.sub(r"\{[^{}]*\}", lambda m: "{" + "\n" * m[0].count("\n") + "}", body)
    comment = ""
    for number, text in enumerate(body.split("\n")):
        if _COMMENT.match(text):
            comment = f"{comment} {_said(text)}".strip()
            continue
        for part in re.split(r"[;,]\s*(?!//)", text) if "\n" not in body else (text,):
            found = _FIELD.match(part)
            if found:
                yield line + number, found, comment
                comment = ""


def _field(
    found: re.Match[str], comment: str, source: Source, words: Mapping[str, tuple[str, ...]], named: set[str]
) -> Field:
    parts = [p.strip() for p in found["type"].split("|")]
    plain = [p for p in parts if p not in ("null", "undefined", "")]
    base = plain[0].removesuffix("[]") if plain else ""
    shape = _shape(plain, words, len(parts) > len(plain))
    says = " ".join(s for s in (comment, found["says"] or "") if s)
    to = base if base in named and shape.kind != "array" else ""
    needed = not found["open"] and not shape.nullable
    return Field(found["name"], shape, needed, found["name"] == "id", refers_to=to, says=says, source=source)


def _shape(plain: list[str], words: Mapping[str, tuple[str, ...]], nullable: bool) -> Shape:
    quoted = [m[1] for p in plain if (m := _WORDS.fullmatch(p))]
    if plain and len(quoted) == len(plain):
        return Shape("string", enum=tuple(quoted), nullable=nullable)
    if len(plain) != 1:
        return Shape("any", nullable=nullable)
    (one,) = plain
    listed = re.fullmatch(r"(?:readonly )?(?:Array<(.+)>|(.+)\[\])", one)
    if listed:
        return Shape("array", items=_shape([(listed[1] or listed[2]).strip("() ")], words, False), nullable=nullable)
    if one in words:
        return Shape("string", enum=words[one], name=one, nullable=nullable)
    kind, format_ = _KINDS.get(one.lower(), ("object" if one.startswith(("{", "Record<")) else "any", ""))
    return Shape(kind, format_, name="" if one.lower() in _KINDS else one[:80], nullable=nullable)
