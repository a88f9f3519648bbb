"""The keywords of JSON Schema and what has to stand at each, and the names that people give to types."""

from __future__ import annotations

from collections.abc import Mapping

FORMS: Mapping[str, str] = {
    **dict.fromkeys(
        ("additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "unevaluatedItems",
         "unevaluatedProperties", "contentSchema"),
        "schema",
    ),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), "schemas"),
    **dict.fromkeys(("properties", "$defs", "definitions", "dependentSchemas"), "named"),
    **dict.fromkeys(("title", "description", "$comment", "format", "contentEncoding", "contentMediaType", "$schema"), "text"),
    **dict.fromkeys(("maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"), "number"),
    **dict.fromkeys(
        ("maxLength", "minLength", "maxItems", "minItems", "maxContains", "minContains", "maxProperties", "minProperties"),
        "count",
    ),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), "flag"),
    **dict.fromkeys(("enum", "examples"), "list"),
    **dict.fromkeys(("$ref", "$dynamicRef"), "reference"),
    **dict.fromkeys(("$anchor", "$dynamicAnchor"), "anchor"),
    **dict.fromkeys(("$vocabulary", "$recursiveRef", "$recursiveAnchor"), "nothing"),
    "items": "items", "type": "type", "required": "names", "pattern": "pattern", "patternProperties": "patterns",
    "multipleOf": "above zero", "dependentRequired": "needs", "dependencies": "dependencies", "$id": "address",
}  # fmt: skip
"""By keyword, what has to stand there. Other words may hold anything."""
TYPES: Mapping[str, str] = {
    **{t: t for t in ("object", "array", "string", "integer", "number", "boolean", "null")},
    **dict.fromkeys(("str", "text", "date", "datetime", "date-time", "uuid", "email", "uri", "url", "file", "char"), "string"),
    **dict.fromkeys(("int", "long", "int32", "int64", "bigint"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "numeric"), "number"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("dict", "map", "json", "record"), "object"),
    **dict.fromkeys(("list", "tuple", "set"), "array"),
    **dict.fromkeys(("none", "nonetype", "nil"), "null"),
}  # fmt: skip
"""What people write for a type, and what it is called."""
