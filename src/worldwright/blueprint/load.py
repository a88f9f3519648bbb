"""From a file to a checked Blueprint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from worldwright.blueprint.check import check
from worldwright.blueprint.check.reporter import format_path
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expand import expand_patterns
from worldwright.blueprint.json_schema import json_schema
from worldwright.blueprint.model import Blueprint
from worldwright.blueprint.source import Document, load_yaml
from worldwright.core.canonical import sha256
from worldwright.core.errors import BlueprintError, Finding
from worldwright.core.names import suggest
from worldwright.formats.strict_yaml import dump_yaml

UNQUOTED = "quote a text with a comma inside of { } or [ ]"
"""What is usually meant where a key has no value: `{kind: one of a, b}` reads as `kind` and `b`."""


def load_file(path: Path) -> Checked:
    """The checked Blueprint of a YAML file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise BlueprintError([Finding(str(path), 0, "file", f"cannot be read: {e}")]) from None
    return load_text(text, str(path))


def load_text(text: str, file: str = "blueprint.yaml") -> Checked:
    document = expand_patterns(load_yaml(text, file))
    bp = validate_document(document)
    return check(bp, document, compute_digest(bp))


def check_again(bp: Blueprint, file: str, base: Checked) -> Checked:
    """Check a Blueprint that was derived from a checked one: what its file would give, without writing and reading it."""
    document = Document(file, canonical(bp), {})
    again = validate_document(document)
    return check(again, document, compute_digest(again), base)


def add_record(checked: Checked, **record: Mapping[str, Any]) -> Checked:
    """Write `axes` or `layers` into a checked Blueprint: they say how it came about and change nothing else."""
    bp = checked.blueprint.model_copy(update=record)
    return replace(checked, blueprint=bp, digest=compute_digest(bp))


def validate_document(document: Document) -> Blueprint:
    """The typed surface of a document, or every place where it does not fit."""
    if not isinstance(document.data, dict):
        raise BlueprintError(
            [Finding(document.file, 1, "blueprint", "a Blueprint is a map", "start with `blueprint: name`")]
        )
    try:
        return Blueprint.model_validate(document.data)
    except ValidationError as e:
        raise BlueprintError([_finding(document, error) for error in e.errors()]) from None


def canonical(bp: Blueprint) -> dict[str, Any]:
    """The one data form of a Blueprint: patterns applied, defaults left out, the author's order kept."""
    return bp.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def canonical_yaml(bp: Blueprint) -> str:
    return dump_yaml(canonical(bp))


def compute_digest(bp: Blueprint) -> str:
    """Compute the sha256 of the canonical form; order counts, because columns and roles have one."""
    return sha256(json.dumps(canonical(bp), separators=(",", ":"), ensure_ascii=False).encode())


def _finding(document: Document, error: Any) -> Finding:
    """A validation error at the place in the file that it is about."""
    path: list[str | int] = []
    here = document.data
    for part in error["loc"]:
        if (isinstance(here, dict) and part in here) or (
            isinstance(here, list) and isinstance(part, int) and part < len(here)
        ):
            here = here[part]
        elif isinstance(part, str) and error["type"] == "missing" and part == error["loc"][-1]:
            pass
        else:
            continue
        path.append(part)
    where = format_path(tuple(path))
    if error["type"] == "extra_forbidden":
        name = str(error["loc"][-1])
        return Finding(
            document.file,
            document.line(tuple(path)),
            where,
            f"`{name}` is not known here",
            suggest(name, _siblings(error["loc"])),
        )
    if error["type"] == "missing":
        return Finding(document.file, document.line(tuple(path[:-1])), where, f"`{error['loc'][-1]}` is needed")
    said = error["msg"].removeprefix("Value error, ")
    if here is None:
        return Finding(document.file, document.line(tuple(path)), where, f"nothing stands there. {said}", UNQUOTED)
    return Finding(document.file, document.line(tuple(path)), where, said)


def _siblings(loc: tuple[str | int, ...]) -> list[str]:
    """The keys that would be right where `loc` ends: the model reached by following it through the schema."""
    schema = json_schema()
    here: Any = schema
    for part in loc[:-1]:
        here = _child(schema, here, part)
    return sorted(_resolve(schema, here).get("properties", {}))


def _resolve(schema: dict[str, Any], node: Any) -> dict[str, Any]:
    while isinstance(node, dict) and "$ref" in node:
        node = schema["$defs"][node["$ref"].rsplit("/", 1)[-1]]
    if isinstance(node, dict) and "anyOf" in node:
        for option in node["anyOf"]:
            found = _resolve(schema, option)
            if found.get("properties") or found.get("additionalProperties") or found.get("items"):
                return found
    return node if isinstance(node, dict) else {}


def _child(schema: dict[str, Any], node: Any, part: str | int) -> Any:
    here = _resolve(schema, node)
    if isinstance(part, int):
        return here.get("items", {})
    if part in here.get("properties", {}):
        return here["properties"][part]
    more = here.get("additionalProperties")
    return more if isinstance(more, dict) else here
