"""How often a validator looks at one and the same value, and schemas for which that would never end.

`allOf`, `oneOf`, references and their like all speak of the value at hand. A few short schemas that name each other twice have
it looked at more often than there are atoms, and one that only leads back to itself never lets go of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from worldwright.anchor.schema.references import follow_reference, iter_schemas

MAX_LOOKS_PER_VALUE = 2_000
"""At one value. Real documents stay below a hundred."""
MAX_DEPTH = 200
SINGLE_SCHEMA_KEYWORDS = ("not", "if", "then", "else")
SCHEMA_LIST_KEYWORDS = ("allOf", "anyOf", "oneOf")


def limit_validation_cost(schema: dict[str, Any]) -> bool:
    """Takes out of a schema what would have one value looked at too often; whether there was any."""
    work = _Work(schema)
    for part in list(iter_schemas(schema)):
        work.looks(part, 0)
    return work.cut


class _Work:
    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        self.known: dict[int, int] = {}
        self.open: set[int] = set()
        self.cut = False

    def looks(self, schema: dict[str, Any], depth: int) -> int:
        """How often a value is looked at for this schema; one that asks for too much is made to ask for less."""
        if id(schema) in self.known:
            return self.known[id(schema)]
        if id(schema) in self.open or depth > MAX_DEPTH:
            return MAX_LOOKS_PER_VALUE + 1
        self.open.add(id(schema))
        total = 1 + sum(self.looks(inner, depth + 1) for inner in self.inside(schema))
        self.open.discard(id(schema))
        if total > MAX_LOOKS_PER_VALUE:
            for keyword in (*SINGLE_SCHEMA_KEYWORDS, *SCHEMA_LIST_KEYWORDS, "$ref", "dependentSchemas"):
                schema.pop(keyword, None)
            self.cut, total = True, 1
        self.known[id(schema)] = total
        return total

    def inside(self, schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The schemas that speak of the same value."""
        found = [schema.get(k) for k in SINGLE_SCHEMA_KEYWORDS]
        found += [part for k in SCHEMA_LIST_KEYWORDS if isinstance(schema.get(k), list) for part in schema[k]]
        needed = schema.get("dependentSchemas")
        found += needed.values() if isinstance(needed, dict) else ()
        reference = schema.get("$ref")
        if isinstance(reference, str):
            found.append(follow_reference(self.root, reference)[1])
        yield from (part for part in found if isinstance(part, dict))
