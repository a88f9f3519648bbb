"""All that is needed to read the operations and schemas of one API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldwright.anchor.readers.openapi.api import Api, Objects
from worldwright.anchor.readers.openapi.documents import Node, texts
from worldwright.anchor.readers.openapi.inlining import Plan, Translator
from worldwright.anchor.readers.openapi.shapes import Shapes


@dataclass(frozen=True, slots=True)
class ApiContext:
    api: Api
    plan: Plan
    objects: Objects
    shapes: Shapes
    sent: Translator
    """Schemas as a caller sends them."""
    received: Translator
    """Schemas as an answer has them."""
    keys: frozenset[tuple[str, str]]
    """Place and lower-case name of the parameters that carry a key."""


def make_context(api: Api) -> ApiContext:
    plan = Plan(api)
    sent, received = Translator(plan, sent=True), Translator(plan, sent=False)
    return ApiContext(api, plan, Objects(api), Shapes(plan), sent, received, keys(api))


# What operations ask of their caller: scopes and names of keys.


SCHEMES = (("components", "securitySchemes"), ("securityDefinitions",))


def scopes(api: Api, operation: Node) -> tuple[str, ...]:
    """The scopes that an operation asks for; the name of a scheme stands for itself where it has none."""
    asked = operation.facts.get("security", api.document.get("security"))
    found: dict[str, None] = {}
    for requirement in asked if isinstance(asked, list) else []:
        if isinstance(requirement, Mapping):
            for scheme, wanted in requirement.items():
                found.update(dict.fromkeys(texts(wanted) or [scheme]))
    return tuple(found)


def keys(api: Api) -> frozenset[tuple[str, str]]:
    """Place and lower-case name of the parameters that carry a key."""
    return frozenset(
        (str(s.facts.get("in")), str(s.facts.get("name")).lower()) for _, s in schemes(api) if "name" in s.facts
    )


def schemes(api: Api) -> Iterator[tuple[str, Node]]:
    for section in SCHEMES:
        yield from api.children(api.top.down(*section))
