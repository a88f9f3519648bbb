"""The JSON Schema of the language, for editors."""

from __future__ import annotations

from functools import cache
from typing import Any

from worldwright.blueprint.model import Blueprint


@cache
def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a Blueprint file."""
    schema = Blueprint.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Worldwright Blueprint",
        **{k: v for k, v in schema.items() if k != "title"},
    }
