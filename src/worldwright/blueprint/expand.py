"""Applying patterns: `use` is taken away, what the patterns add is put in, each node marked with its source."""

from __future__ import annotations

import copy
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from worldwright.blueprint import patterns
from worldwright.blueprint.source import Document
from worldwright.core.errors import BlueprintError, Finding
from worldwright.core.names import suggest
from worldwright.formats.strict_yaml import Path

SECTIONS = ("systems", "roles", "entities", "terms", "policies", "operations", "always", "goals")


def expand_patterns(document: Document) -> Document:
    """The document with every pattern of `use` applied, in order. Added nodes have the line of their `use` entry."""
    data = document.data
    if not isinstance(data, dict) or not data.get("use"):
        return document
    out = copy.deepcopy(data)
    used = out.pop("use")
    if not isinstance(used, list):
        line = document.line(("use",))
        raise BlueprintError([Finding(document.file, line, "use", "a list of patterns", "- name: {...}")])
    lines = dict(document.lines)
    findings: list[Finding] = []
    for i, item in enumerate(used):
        line = document.line(("use", i))
        if not isinstance(item, dict) or len(item) != 1:
            findings.append(
                Finding(document.file, line, f"use[{i}]", "one pattern and its parameters", "- name: {...}")
            )
            continue
        ((name, params),) = item.items()
        try:
            fragment = _fragment(str(name), params or {})
            _merge(out, fragment, str(name), lines, line)
        except _Wrong as e:
            findings.append(Finding(document.file, line, f"use[{i}].{name}", e.message, e.hint))
    if findings:
        raise BlueprintError(findings)
    return Document(document.file, out, lines)


class _Wrong(Exception):
    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def _fragment(name: str, params: Any) -> dict[str, Any]:
    if name not in patterns.names():
        raise _Wrong(f"no pattern is called `{name}`", suggest(name, patterns.names()))
    pattern = patterns.get(name)
    try:
        parsed = pattern.params.model_validate(params)
    except ValidationError as e:
        # A misspelt parameter explains the one that is missing, so it comes first.
        first = min(e.errors(), key=lambda error: error["type"] != "extra_forbidden")
        fields = [f.alias or k for k, f in pattern.params.model_fields.items()]
        raise _Wrong(_complaint(first), f"parameters: {', '.join(fields)}") from None
    return copy.deepcopy(pattern.expand(parsed))


def _complaint(error: ErrorDetails) -> str:
    where = ".".join(str(part) for part in error["loc"] if "[" not in str(part))  # without names of types
    match error["type"]:
        case "extra_forbidden":
            return f"`{where}` is not known here"
        case "missing":
            return f"`{where}` is needed"
    return f"{where or 'parameters'}: {error['msg'].removeprefix('Value error, ')}"


def _merge(out: dict[str, Any], fragment: dict[str, Any], name: str, lines: dict[Path, int], line: int) -> None:
    mark = f"{patterns.MARK}{name}"
    extend = fragment.pop("extend", {})
    for section, nodes in fragment.items():
        if section not in SECTIONS:
            raise _Wrong(f"pattern {name} adds `{section}`, which patterns may not")
        target = _map(out, section, section)
        for key, node in nodes.items():
            if section in ("systems", "roles") and key in target:
                continue
            if key in target:
                raise _Wrong(f"adds {section}.{key}, which is there already", _clash(target[key]))
            target[key] = {**node, "source": mark} if isinstance(node, dict) else node
            lines[section, key] = line
    for entity, more in extend.get("entities", {}).items():
        _extend_entity(out, entity, more, lines, line)
    for operation, more in extend.get("operations", {}).items():
        _extend_operation(out, operation, more, mark, lines, line)


def _map(node: dict[str, Any], key: str, spoken: str) -> dict[str, Any]:
    """A part that things are added to; made where it is not there."""
    found = node.setdefault(key, {})
    if not isinstance(found, dict):
        raise _Wrong(f"adds to `{spoken}`, which is not a map", "leave it out where it is empty")
    return found


def _clash(node: Any) -> str:
    source = str(node.get("source", "")) if isinstance(node, dict) else ""
    if source.startswith(patterns.MARK):
        return f"pattern `{source.removeprefix(patterns.MARK)}` added it further up"
    return "rename one of them"


def _extend_entity(out: dict[str, Any], entity: str, more: dict[str, Any], lines: dict[Path, int], line: int) -> None:
    known = _map(out, "entities", "entities")
    target = known.get(entity)
    if not isinstance(target, dict):
        raise _Wrong(f"no entity `{entity}` to extend", suggest(entity, known))
    fields = _map(target, "fields", f"entities.{entity}.fields")
    for field, spec in more.get("fields", {}).items():
        if field in fields:
            raise _Wrong(f"`{entity}` has a field `{field}` already")
        fields[field] = spec
        lines["entities", entity, "fields", field] = line


def _extend_operation(
    out: dict[str, Any], operation: str, more: dict[str, Any], mark: str, lines: dict[Path, int], line: int
) -> None:
    known = _map(out, "operations", "operations")
    target = known.get(operation)
    if not isinstance(target, dict):
        raise _Wrong(f"no operation `{operation}` to extend", suggest(operation, known))
    if target.get("search") or target.get("get"):
        raise _Wrong(f"`{operation}` only reads: nothing can be added to what it does")
    own = target.get("does", [])
    if not isinstance(own, list):
        raise _Wrong(f"adds to `operations.{operation}.does`, which is not a list")
    after = [{**s, "source": mark} for s in _drop_unless_new(more.get("after", []), _find_added_rows(own))]
    target["does"] = [*own, *after]
    at: Path = ("operations", operation, "does")
    lines.setdefault(at, line)
    for i in range(len(own), len(target["does"])):
        lines[(*at, i)] = line


def _find_added_rows(statements: list[Any]) -> frozenset[str]:
    """The names of rows that the statements add."""
    adds = (s for s in statements if isinstance(s, dict) and "add" in s)
    return frozenset(str(s["as"]) for s in adds if "as" in s)


def _drop_unless_new(statements: list[dict[str, Any]], made: frozenset[str]) -> list[dict[str, Any]]:
    """Keep the statements of a pattern that say something here: `unless_new` names rows that have to have a past for it."""
    return [
        {k: _drop_unless_new(v, made) if k in ("do", "otherwise") else v for k, v in s.items() if k != "unless_new"}
        for s in statements
        if made.isdisjoint(s.get("unless_new", ()))
    ]
