"""Types written in TypeScript, as documents quote them: interfaces, object types, unions of words and enums. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldwright.anchor.evidence import Field, Resource, Shape, Source

MOST_LINES = 5_000
_OPENS = re.compile(
    r"\s*(?:export\s+)?(?:declare\s+)?(?:interface\s+(?P<interface>\w+)[^{]*\{|type\s+(?P<type>\w+)(?:<[^=]*>)?\s*=\s*\{|"
    r"(?:const\s+)?enum\s+(?P<enum>\w+)\s*\{)"
)
_UNION = re.compile(
    r"\s*(?:export\s+)?type\s+(\w+)\s*=\s*\|?\s*((?:['\"][^'\"\n]{1,80}['\"]\s*\|?\s*)+);?\s*(?://.*)?$"
)
_FIELD = re.compile(
    r"\s*(?:public |private |readonly )*['\"]?(?P<name>\w+)['\"]?(?P<open>\?)?\s*:\s*(?P<type>[^/;]+?)\s*[;,]?\s*"
    r"(?:(?://|/\*\*?)\s*(?P<says>.*?)(?:\*/)?)?\s*$"
)
_MEMBER = re.compile(r"\s*(\w+)(?:\s*=\s*['\"]?([^'\",/]+)['\"]?)?\s*,?\s*(?://.*)?$")
_COMMENT = re.compile(r"\s*(?://|/?\*+)\s*(.*?)(?:\*/)?\s*$")
_WORDS = re.compile(r"['\"]([^'\"]+)['\"]")
_KINDS: Mapping[str, tuple[str, str]] = {
    "string": ("string", ""), "number": ("number", ""), "boolean": ("boolean", ""), "date": ("string", "date-time"),
    "bigint": ("integer", ""), "uuid": ("string", "uuid"), "int": ("integer", ""), "integer": ("integer", ""),
    "decimal": ("number", "decimal"), "any": ("any", ""), "unknown": ("any", ""), "object": ("object", ""),
}  # fmt: skip
"""What a type of the language is."""


@dataclass(slots=True)
class _Open:
    """A type that is being read."""

    name: str
    enum: bool
    line: int
    says: str
    rows: list[tuple[int, str, str]]
    """Line, text, and the comment before it."""


def read_types(text: str, file: str, line: int) -> tuple[Resource, ...]:
    """The object types in a text that starts at this line of a file; enums and unions are the words of their fields."""
    lines = text.split("\n")[:MOST_LINES]
    words = {m[1]: tuple(_WORDS.findall(m[2])) for one in _joined(lines) if (m := _UNION.match(one))}
    opened = list(_types(lines, line))
    words |= {
        t.name: tuple(m[2] or m[1] for _, row, _ in t.rows if (m := _MEMBER.match(row))) for t in opened if t.enum
    }
    named = {t.name for t in opened if not t.enum}
    return tuple(_resource(t, words, named, file) for t in opened if not t.enum and t.rows)


def _joined(lines: list[str]) -> Iterator[str]:
    """Lines, with a union that goes on over several put on one."""
    held = ""
    for one in lines:
        going = one.strip().startswith("|") or held.rstrip().endswith(("=", "|"))
        if held and not going:
            yield held
        held = f"{held} {one.strip()}" if going and held else one
    yield held


def _types(lines: list[str], first: int) -> Iterator[_Open]:
    """The types that open with a brace, each with the lines right inside of it."""
    at: _Open | None = None
    depth, comment = 0, ""
    for number, one in enumerate(lines):
        if at is None:
            found = _OPENS.match(one)
            if found:
                name = found["interface"] or found["type"] or found["enum"]
                at, depth, comment = _Open(name, bool(found["enum"]), first + number, comment, []), 1, ""
                one = one[found.end() :]
                at.rows += [
                    (first + number, part, "") for part in re.split(r"[;,]\s*(?!//)", one.split("}")[0]) if part.strip()
                ]
                depth += one.count("{") - one.count("}")
            else:
                said = _COMMENT.match(one)
                comment = f"{comment} {said[1]}".strip() if said else ""
        else:
            said = _COMMENT.match(one)
            if said:
                comment = f"{comment} {said[1].strip(' /')}".strip()
            elif depth == 1 and one.strip() not in ("}", "};", ""):
                at.rows.append((first + number, one, comment))
                comment = ""
            depth += one.count("{") - one.count("}")
        if at is not None and depth <= 0:
            yield at
            at, comment = None, ""


def _resource(opened: _Open, words: Mapping[str, tuple[str, ...]], named: set[str], file: str) -> Resource:
    fields: list[Field] = []
    for line, row, comment in opened.rows:
        found = _FIELD.match(row)
        if not found:
            continue
        name, written = found["name"], found["type"].strip()
        parts = [p.strip() for p in written.split("|")]
        plain = [p for p in parts if p not in ("null", "undefined", "")]
        base = plain[0].removesuffix("[]") if plain else ""
        shape = _shape(plain, words, len(parts) > len(plain))
        says = " ".join(s for s in (comment, found["says"] or "") if s)
        needed = not found["open"] and not shape.nullable
        to = base if base in named and shape.kind != "array" else ""
        fields.append(
            Field(name, shape, needed, name == "id", refers_to=to, says=says, source=Source(file, f"{line}-{line}"))
        )
    key = tuple(f.name for f in fields if f.key)
    source = Source(file, f"{opened.line}-{max((n for n, _, _ in opened.rows), default=opened.line) + 1}")
    return Resource(opened.name, tuple(fields), key, says=opened.says, origin="document", source=source)


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
