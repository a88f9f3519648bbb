"""Constraints on the columns of a table, and what each of them says of its columns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from worldwright.anchor.evidence import Field, Shape
from worldwright.anchor.readers.repo.names import Repo
from worldwright.anchor.readers.repo.source import Place
from worldwright.anchor.readers.repo.tree import argument, elements, head_of, keyword, last, written

Fields = dict[str, Field]
Groups = tuple[tuple[str, ...], ...]
_COMPARISONS: Mapping[str, str] = {"gte": ">=", "gt": ">", "lte": "<=", "lt": "<"}
_COMPARED = re.compile(r'\(?\s*["`]?(\w{1,80})["`]?\s*(>=|<=|>|<)\s*(-?\d{1,15}(?:\.\d{1,6})?)\s*\)?')
_ONE_OF = re.compile(
    r"""\(?\s*["`]?(\w{1,80})["`]?\s+in\s*\((\s*'[^']{0,200}'(?:\s*,\s*'[^']{0,200}'){0,200}\s*)\)\s*\)?""", re.I
)


def settled(
    repo: Repo, fields: Fields, calls: Iterable[tuple[Place, ast.expr]]
) -> tuple[Fields, Groups, tuple[str, ...]]:
    """The fields with what constraints say of each, the groups of several that are unique together, and the conditions."""
    unique: list[tuple[str, ...]] = []
    checks: list[str] = []
    for place, call in calls:
        given = call.args[:100] if isinstance(call, ast.Call) else []
        match last(repo.full(place, call)):
            case "CheckConstraint":
                checks.append(_condition(repo, place, argument(call, 0, "sqltext", "check", "condition")))
            case "UniqueConstraint" if keyword(call, "condition") is None:
                unique.append(_named(repo, place, elements(keyword(call, "fields")) or given))
            case "Index" if repo.flag(place, call, "unique"):
                unique.append(_named(repo, place, given[1:]))
            case "PrimaryKeyConstraint":
                for one in (fields[n] for n in _named(repo, place, given) if n in fields):
                    shape = replace(one.shape, nullable=False)
                    fields = fields | {one.name: replace(one, key=True, required=True, shape=shape)}
            case "ForeignKeyConstraint":
                own, there = (repo.texts(place, argument(call, i, n)) for i, n in enumerate(("columns", "refcolumns")))
                for name, target in zip(own, there, strict=False):
                    table, _, by = target.rpartition(".")
                    if name in fields:
                        fields = fields | {name: replace(fields[name], refers_to=last(table), refers_by=by)}
            case "":  # `unique_together` of Django
                unique.append(_named(repo, place, elements(call)))
    alone = {group[0] for group in unique if len(group) == 1}
    told = tuple(dict.fromkeys(filter(None, checks)))
    fields = {n: replace(f, unique=f.unique or n in alone, shape=checked(f.shape, n, told)) for n, f in fields.items()}
    return fields, tuple(dict.fromkeys(group for group in unique if len(group) > 1 and all(group))), told


def _named(repo: Repo, place: Place, nodes: Sequence[ast.expr]) -> tuple[str, ...]:
    return tuple(repo.text(place, node) or head_of(node) for node in nodes)


def _condition(repo: Repo, place: Place, node: ast.expr | None) -> str:
    """A condition as a database writes it, also of `Q(amount__gte=0)`; else as code."""
    match node:
        case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
            return f"{_condition(repo, place, left)} and {_condition(repo, place, right)}"
        case ast.Call(keywords=[ast.keyword(arg=str() as path, value=value)]) if head_of(node) == "Q":
            name, _, word = path.partition("__")
            found = repo.value(place, value)
            if word in _COMPARISONS and isinstance(found, int | float):
                return f"{name} {_COMPARISONS[word]} {found}"
            if word == "in" and isinstance(found, tuple) and all(isinstance(v, str) and "'" not in v for v in found):
                return f"{name} in ({', '.join(repr(v) for v in found)})"
    return repo.text(place, node) or written(node)


def checked(shape: Shape, name: str, checks: Iterable[str]) -> Shape:
    """A shape with the limits that conditions such as `quantity > 0` or `status IN ('a', 'b')` state on that column."""
    for part in (part for check in checks for part in re.split(r"\s+and\s+", check[:2_000], flags=re.I)):
        compared, words = _COMPARED.fullmatch(part.strip()), _ONE_OF.fullmatch(part.strip())
        if compared and compared[1] == name:
            step = 1 if shape.kind == "integer" and len(compared[2]) == 1 else 0
            figure = float(compared[3])
            lower = compared[2][0] == ">"
            shape = replace(shape, minimum=figure + step) if lower else replace(shape, maximum=figure - step)
        elif words and words[1] == name and not shape.enum:
            shape = replace(shape, enum=tuple(re.findall(r"'([^']*)'", words[2])))
    return shape
