"""All that is needed to read the operations and schemas of one API."""

from __future__ import annotations

from dataclasses import dataclass

from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.inlining import Translator
from worldwright.anchor.readers.openapi.members import Objects
from worldwright.anchor.readers.openapi.plan import Plan
from worldwright.anchor.readers.openapi.security import keys
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
