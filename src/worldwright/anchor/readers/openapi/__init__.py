"""OpenAPI 2.0, 3.0 and 3.1 as evidence, in YAML or JSON, in one file or split over several.

    documents   which uploads describe an API, and which are parts of one
    api         what references lead to, inside of the uploads only
    operations  every method on every path, with its `arguments` and `answers`
    resources   every object with a name
    rows        examples as records

Schemas are read twice: as shapes (`shapes`) and as JSON Schema that needs nothing else (`plan`, `dialect`, `inlining`).
"""

from __future__ import annotations

from worldwright.anchor.readers.openapi.reading import read

__all__ = ["read"]
