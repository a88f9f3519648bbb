"""All that is needed to read the operations and schemas of one API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldwright.anchor.evidence import Person
from worldwright.anchor.names import parts
from worldwright.anchor.readers.openapi.api import Api
from worldwright.anchor.readers.openapi.inlining import Plan, Translator
from worldwright.anchor.readers.openapi.members import Objects
from worldwright.anchor.readers.openapi.nodes import Node, texts
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


# What operations ask of their caller: scopes, names of keys, and roles where scopes are roles.


SCHEMES = (("components", "securitySchemes"), ("securityDefinitions",))
ROLES = frozenset(
    {
        "accountant", "admin", "administrator", "agent", "analyst", "approver", "auditor", "buyer", "cashier",
        "clerk", "customer", "dispatcher", "doctor", "driver", "editor", "employee", "guest", "instructor",
        "librarian", "maintainer", "manager", "member", "moderator", "nurse", "operator", "owner", "patient",
        "physician", "receptionist", "reviewer", "seller", "student", "superadmin", "superuser", "supervisor",
        "teacher", "technician", "tenant", "vendor", "viewer",
    }
)  # fmt: skip
_MARKS = frozenset({"role", "roles"})


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


def people(api: Api) -> Iterator[Person]:
    """Scopes that read like roles, such as `admin` or `role:manager`; `read:orders` is none."""
    for _, scheme in schemes(api):
        flows = [f for _, f in scheme.down("flows").each()]
        for holder in [scheme, *flows]:
            granted = holder.down("scopes")
            for name, said in granted.each() if isinstance(granted.value, Mapping) else ():
                if _is_role(name):
                    yield Person(name, api.text(said.value), said.source)


def schemes(api: Api) -> Iterator[tuple[str, Node]]:
    for section in SCHEMES:
        yield from api.children(api.top.down(*section))


def _is_role(scope: str) -> bool:
    words = parts(scope)
    if words and words[0] in _MARKS:
        return len(words) > 1
    return len(words) == 1 and words[0] in ROLES
