"""Applying patterns: `use` is taken away, what the patterns add is put in, each node marked with its source."""

from __future__ import annotations

import copy
from typing import Any

from pydantic import ValidationError

from worldwright.blueprint import patterns
from worldwright.blueprint.yaml_source import Document, Path
from worldwright.core.errors import BlueprintError, Finding
from worldwright.core.names import nearest

SECTIONS = ("systems", "roles", "entities", "terms", "policies", "operations", "always", "goals")


def expand_patterns(document: Document) -> Document:
    """The document with every pattern of `use` applied, in order. Added nodes have the line of their `use` entry."""
    data = document.data
    if not isinstance(data, dict) or not data.get("use"):
        return document
    out = copy.deepcopy(data)
    lines = dict(document.lines)
    findings: list[Finding] = []
    for i, item in enumerate(out.pop("use")):
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
        raise _Wrong(f"no pattern is called `{name}`", nearest(name, patterns.names()))
    pattern = patterns.get(name)
    try:
        parsed = pattern.params.model_validate(params)
    except ValidationError as e:
        first = e.errors()[0]
        where = ".".join(map(str, first["loc"]))
        fields = [f.alias or k for k, f in pattern.params.model_fields.items()]
        raise _Wrong(f"{where}: {first['msg']}", f"parameters: {', '.join(fields)}") from None
    return copy.deepcopy(pattern.expand(parsed))


def _merge(out: dict[str, Any], fragment: dict[str, Any], name: str, lines: dict[Path, int], line: int) -> None:
    mark = f"pattern:{name}"
    extend = fragment.pop("extend", {})
    for section, nodes in fragment.items():
        if section not in SECTIONS:
            raise _Wrong(f"pattern {name} adds `{section}`, which patterns may not")
        target = out.setdefault(section, {})
        for key, node in nodes.items():
            if section in ("systems", "roles") and key in target:
                continue
            if key in target:
                raise _Wrong(f"adds {section}.{key}, which is there already", "rename one of them")
            target[key] = {**node, "source": mark} if isinstance(node, dict) else node
            lines[section, key] = line
    for entity, more in extend.get("entities", {}).items():
        _extend_entity(out, entity, more)
    for operation, more in extend.get("operations", {}).items():
        _extend_operation(out, operation, more, mark)


def _extend_entity(out: dict[str, Any], entity: str, more: dict[str, Any]) -> None:
    target = out.get("entities", {}).get(entity)
    if not isinstance(target, dict):
        raise _Wrong(f"no entity `{entity}` to extend", nearest(entity, out.get("entities", {})))
    fields = target.setdefault("fields", {})
    for field, spec in more.get("fields", {}).items():
        if field in fields:
            raise _Wrong(f"`{entity}` has a field `{field}` already")
        fields[field] = spec


def _extend_operation(out: dict[str, Any], operation: str, more: dict[str, Any], mark: str) -> None:
    target = out.get("operations", {}).get(operation)
    if not isinstance(target, dict):
        raise _Wrong(f"no operation `{operation}` to extend", nearest(operation, out.get("operations", {})))
    before = [{**s, "source": mark} for s in more.get("before", [])]
    after = [{**s, "source": mark} for s in more.get("after", [])]
    target["does"] = [*before, *target.get("does", []), *after]
    for name, spec in more.get("takes", {}).items():
        target.setdefault("takes", {})[name] = spec
