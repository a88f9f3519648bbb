"""Values that are said of nothing in the state: `NAME: TYPE ~ DRAW`."""

from __future__ import annotations

from collections.abc import Mapping

from worldwright.blueprint.check.entities import check_name
from worldwright.blueprint.check.reporter import Reporter
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.expr.parse import parse
from worldwright.blueprint.expr.scope import Language, Scope
from worldwright.blueprint.fieldspec import parse_type, split_field
from worldwright.blueprint.types import Type


def parse_draws(
    texts: Mapping[str, str], section: str, known: Mapping[str, Type], language: Language, report: Reporter
) -> tuple[dict[str, Type], dict[str, n.Node]]:
    """Parse what a section draws; each may use what is known, and what was drawn before it."""
    types: dict[str, Type] = {}
    drawn: dict[str, n.Node] = {}
    for name, text in texts.items():
        with report.at(section, name):
            check_name(report, name, "something said")
            if name in known:
                raise ExprError(f"`{name}` is given already")
            kind, optional, long = split_field(text)
            types[name] = parse_type(kind, tuple(language.schema.entities)).type
            if optional or long.draw is None:
                raise ExprError(f"`{text}` says nothing", "TYPE ~ DRAW, for instance `int ~ between(2, 9)`")
            before = Scope({**known, **{k: v for k, v in types.items() if k != name}}, draws=True)
            drawn[name] = parse(long.draw, language, before, types[name], bare=True)
    return types, drawn
