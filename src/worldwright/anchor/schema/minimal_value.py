"""The least value that a JSON Schema accepts: for the parts of an answer that nothing is known of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldwright.anchor.schema.patterns import generate_matches

MAX_DEPTH = 14
FORMAT_EXAMPLES: Mapping[str, str] = {
    "date": "2025-01-31",
    "date-time": "2025-01-31T09:00:00Z",
    "time": "09:00:00Z",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "email": "someone@mail.example",
    "uri": "https://www.example.org/",
    "url": "https://www.example.org/",
    "hostname": "www.example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "byte": "AA==",
}

Schema = Mapping[str, Any]


def resolve_schema(schema: Any, root: Schema) -> Schema:
    """A schema with its reference followed and its parts laid together."""
    seen = 0
    while isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str) and seen < 20:
        name = schema["$ref"].removeprefix("#/$defs/")
        schema = root.get("$defs", {}).get(name, {})
        seen += 1
    if not isinstance(schema, Mapping):
        return {}
    every = schema.get("allOf")
    if not isinstance(every, list):
        return schema
    out: dict[str, Any] = {}
    for part in (*every, {k: v for k, v in schema.items() if k != "allOf"}):
        for key, value in resolve_schema(part, root).items():
            if key == "properties" and isinstance(out.get(key), dict):
                out[key] = {**out[key], **value}
            elif key == "required" and isinstance(out.get(key), list):
                out[key] = [*out[key], *(v for v in value if v not in out[key])]
            else:
                out[key] = value
    return out


def minimal_value(schema: Any, root: Schema, depth: int = 0) -> Any:
    """A value that the schema accepts, as small as can be."""
    found = resolve_schema(schema, root)
    for key in ("const", "default"):
        if found.get(key) is not None:
            return found[key]
    words = found.get("enum")
    if isinstance(words, list) and words:
        return words[0]
    for key in ("oneOf", "anyOf"):
        if isinstance(found.get(key), list) and found[key]:
            plain = [p for p in found[key] if resolve_schema(p, root).get("type") != "null"]
            return minimal_value({**(plain or found[key])[0]}, root, depth + 1) if depth < MAX_DEPTH else None
    kind = found.get("type")
    if isinstance(kind, list):
        if "null" in kind:
            return None
        kind = kind[0] if kind else None
    if kind == "object" or "properties" in found:
        return _object(found, root, depth)
    if kind == "array":
        least = found.get("minItems", 0)
        return (
            [minimal_value(found.get("items", {}), root, depth + 1) for _ in range(min(int(least), 5))]
            if depth < MAX_DEPTH
            else []
        )
    return _plain(kind, found)


def _object(found: Schema, root: Schema, depth: int) -> dict[str, Any]:
    properties = found.get("properties", {})
    needed = [n for n in found.get("required", ()) if isinstance(n, str)]
    return {n: minimal_value(properties.get(n, {}), root, depth + 1) for n in needed} if depth < MAX_DEPTH else {}


def _plain(kind: Any, found: Schema) -> Any:
    if kind in ("integer", "number"):
        low, high = found.get("minimum"), found.get("maximum")
        number = low if isinstance(low, (int, float)) else min(0, high) if isinstance(high, (int, float)) else 0
        above = found.get("exclusiveMinimum")
        if isinstance(above, (int, float)) and not isinstance(above, bool) and number <= above:
            number = above + 1
        return int(number) if kind == "integer" else number
    if kind == "boolean":
        return False
    if kind == "string":
        if isinstance(found.get("pattern"), str):
            return next(iter(generate_matches(found["pattern"], "fill", 1)), "")
        text = FORMAT_EXAMPLES.get(str(found.get("format")), "")
        least = found.get("minLength", 0)
        return text if len(text) >= least else text + "x" * (least - len(text))
    return None
