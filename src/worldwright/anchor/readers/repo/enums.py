"""Words that a value is one of: enumerations, `Literal` types and choices."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.repo.families import bases, family
from worldwright.anchor.readers.repo.names import MAX_ELEMENTS, UNKNOWN, Repo, Scope, Unknown
from worldwright.anchor.readers.repo.source import Class, docstring, last, path_of

Words = tuple[tuple[Any, str], ...]
"""Values, each with the label that people see; the label is empty where there is none."""


def words_of(repo: Repo, cls: Class) -> Words:
    """The values of an enumeration, in order."""
    found: dict[Any, str] = {}
    scope = Scope(cls.module, cls)
    for base in bases(repo, cls)[:3]:
        if family(repo, base) == "enum":
            found.update(_members(repo, Scope(base.module, base), base))
    found.update(_members(repo, scope, cls))
    return tuple(found.items())[:MAX_ELEMENTS]


def _members(repo: Repo, scope: Scope, cls: Class) -> Iterator[tuple[Any, str]]:
    texts = _is_text(repo, cls)
    for position, (name, node) in enumerate(cls.values.items(), 1):
        if name.startswith("_"):
            continue
        if isinstance(node, ast.Call) and last(path_of(node)) == "auto":
            yield (name.lower() if texts else name), ""
            continue
        value = repo.value(scope, node)
        label = ""
        if isinstance(value, tuple) and value:
            label = value[1] if len(value) > 1 and isinstance(value[1], str) else ""
            value = value[0]
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            yield value, label
        elif isinstance(value, Unknown) and position <= MAX_ELEMENTS and not isinstance(node, ast.Lambda):
            yield name, ""


def _is_text(repo: Repo, cls: Class) -> bool:
    names = {last(repo.full(cls.module, path_of(base))) for base in cls.node.bases}
    return bool(names & {"StrEnum", "str", "TextChoices"})


def enum_shape(repo: Repo, cls: Class) -> Shape:
    """An enumeration as a shape."""
    return words_shape(words_of(repo, cls), cls.name, docstring(cls.node))


def words_shape(words: Words, name: str = "", says: str = "") -> Shape:
    values = tuple(value for value, _ in words)
    labels = "; ".join(f"{value}: {label}" for value, label in words if label and _unlike(value, label))
    return Shape(_kind(values), name=name, enum=values, says=" ".join(part for part in (says, labels) if part)[:2_000])


def _unlike(value: Any, label: str) -> bool:
    """Tell whether a label tells more than its value."""
    return str(value).replace("_", " ").replace("-", " ").lower() != label.lower()


def _kind(values: tuple[Any, ...]) -> str:
    if values and all(isinstance(v, bool) for v in values):
        return "boolean"
    if values and all(isinstance(v, int) for v in values):
        return "integer"
    if values and all(isinstance(v, int | float) for v in values):
        return "number"
    return "string" if all(isinstance(v, str) for v in values) else "any"


def choices(repo: Repo, scope: Scope, node: ast.expr | None) -> Words:
    """The choices of a field: pairs, pairs in groups, plain values, or an enumeration."""
    if node is None:
        return ()
    cls = _enumeration(repo, scope, node)
    if cls is not None:
        return words_of(repo, cls)
    where, parts = _parts(repo, scope, node)
    if not parts:
        return tuple(_pairs(repo.value(scope, node), 0))[:MAX_ELEMENTS]
    found = [pair for part in parts for pair in _written(repo, where, part, 0)]
    return tuple(dict(found).items())[:MAX_ELEMENTS] if UNKNOWN not in dict(found) else ()


def _written(repo: Repo, scope: Scope, node: ast.expr, depth: int) -> Iterator[tuple[Any, str]]:
    """One choice as it is written: a value, a pair with a label, or a group of pairs. A label may be unknown, a value may not."""
    match node:
        case (
            ast.Tuple(elts=[_, ast.Tuple(elts=group) | ast.List(elts=group)])
            | ast.List(elts=[_, ast.Tuple(elts=group) | ast.List(elts=group)])
        ) if depth == 0:
            for part in group:
                yield from _written(repo, scope, part, depth + 1)
        case ast.Tuple(elts=[first, *more]) | ast.List(elts=[first, *more]):
            value = repo.value(scope, first)
            yield value if isinstance(value, str | int | float) else UNKNOWN, repo.text(scope, more[-1]) if more else ""
        case _:
            value = repo.value(scope, node)
            yield value if isinstance(value, str | int | float) else UNKNOWN, ""


def _parts(repo: Repo, scope: Scope, node: ast.expr) -> tuple[Scope, list[ast.expr]]:
    """The choices that are written out in a list, or in `Choices(...)`, here or under the name that stands here."""
    path = path_of(node) if isinstance(node, ast.Name | ast.Attribute) else ""
    if path:
        own = scope.cls.values.get(path) if scope.cls is not None else None
        found = (scope.module, own) if own is not None else repo.find_value(scope.module, path)
        if found is None:
            return scope, []
        scope, node = Scope(found[0], scope.cls if own is not None else None), found[1]
    if isinstance(node, ast.List | ast.Tuple):
        return scope, node.elts[:MAX_ELEMENTS]
    if isinstance(node, ast.Call) and last(path_of(node)) == "Choices":
        return scope, node.args[:MAX_ELEMENTS]
    return scope, []


def _enumeration(repo: Repo, scope: Scope, node: ast.expr) -> Class | None:
    """The enumeration in `Status.choices`, `Status`, or `[(s.value, s.name) for s in Status]`."""
    if isinstance(node, ast.ListComp | ast.GeneratorExp) and node.generators:
        node = node.generators[0].iter
    if isinstance(node, ast.Call):
        node = node.args[0] if node.args and last(path_of(node)) in ("list", "tuple") else node.func
    path = path_of(node)
    for name in (path, path.removesuffix(".choices"), path.removesuffix(".choices").rpartition(".")[0]):
        cls = repo.find_class(scope, name) if name else None
        if cls is not None and family(repo, cls) == "enum":
            return cls
    return None


def _pairs(found: Any, depth: int) -> Iterator[tuple[Any, str]]:
    if isinstance(found, dict):
        found = tuple(found.items())
    if not isinstance(found, tuple) or depth > 1:
        return
    for part in found:
        match part:
            case (str(), tuple() as group) if depth == 0:
                yield from _pairs(group, depth + 1)
            case (str() | int() as value, str() as label) | (str() | int() as value, str(), str() as label):
                yield value, label
            case str() | int() | float():
                yield part, ""


def literal_words(repo: Repo, scope: Scope, node: ast.expr) -> Words:
    """The values of `Literal["a", "b"]`."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    values = [repo.value(scope, part) for part in parts[:MAX_ELEMENTS]]
    return tuple((v, "") for v in dict.fromkeys(v for v in values if isinstance(v, str | int | float)))
