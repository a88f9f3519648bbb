"""A tool as a Python function shows it: a signature and a Google docstring, for frameworks that read tools off functions.

What hints cannot say of a JSON Schema (patterns, bounds, defaults, the parts of an object) stands in the description.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import reduce
from inspect import Parameter, Signature
from operator import or_
from types import NoneType
from typing import Any, Literal, NamedTuple

from worldwright.adapters.names import assign_names
from worldwright.agents.chat import encode
from worldwright.world.records import ToolSpec

HINTS: Mapping[Any, Any] = {
    "string": str, "integer": int, "number": float, "boolean": bool, "null": NoneType, "array": list, "object": dict,
}  # fmt: skip
_SECTION = re.compile(r"(Args|Returns|Raises|\((?i:choices))(?=:)")
"""What a docstring's reader takes for the start of something else, wherever it stands."""
_UNREAD = re.compile(r".*(Returns|Raises)|.*\W.*", re.DOTALL)
"""Names of parameters that would end the list of them, or are not taken for one."""
_PLAIN_OBJECT = frozenset({"type", "properties", "required", "additionalProperties", "description", "title", "$schema"})


class SignedTool(NamedTuple):
    """How a function shows a tool."""

    signature: Signature
    """With `self` first; all others are passed by name."""
    doc: str
    renamed: Mapping[str, str]
    """Parameters that Python or a docstring has no room for: by the name that is shown, the real one."""


def sign_tool(tool: ToolSpec) -> SignedTool:
    schema = tool.input_schema
    parts: Mapping[str, Any] = schema.get("properties", {})
    required = schema.get("required", ())
    kept = {"self", "cls", *filter(_UNREAD.fullmatch, parts)}
    parameters, lines = [Parameter("self", Parameter.POSITIONAL_ONLY)], []
    names = assign_names(list(parts), kept, "parameter")
    for name, real in names.items():
        part = parts[real] if isinstance(parts[real], Mapping) else {}
        hint, unsaid = make_hint(part)
        default = Parameter.empty if real in required else part.get("default")
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hint))
        text = str(unsaid.pop("description", "")) or real.replace("_", " ")
        text = text if name == real else f"{text} (The parameter `{real}` of this tool.)"
        lines.append(f"    {name}: {' '.join(_describe(text, unsaid).split())}")
    beside = {key: value for key, value in schema.items() if key not in _PLAIN_OBJECT}
    doc = _describe(tool.description.strip() or tool.name.replace("_", " "), beside)
    return SignedTool(
        Signature(parameters),
        "\n".join([doc, "", "Args:", *lines]) if lines else doc,
        {name: real for name, real in names.items() if name != real},
    )


def make_method(tool: ToolSpec, call: Callable[[Any, dict[str, Any]], str]) -> Callable[..., str]:
    """A method that shows this tool. What it is called with goes to `call` under the real names, and is checked there."""
    signature, doc, renamed = sign_tool(tool)

    def plain(self: Any, /, **arguments: Any) -> str:
        return call(self, arguments)

    def turned(self: Any, /, **arguments: Any) -> str:
        return call(self, {renamed.get(name, name): value for name, value in arguments.items()})

    made: Any = turned if renamed else plain
    made.__name__, made.__qualname__, made.__doc__, made.__signature__ = tool.name, tool.name, doc, signature
    made.__annotations__ = {p.name: p.annotation for p in signature.parameters.values() if p.name != "self"}
    return made  # type: ignore[no-any-return]


def make_hint(schema: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The type hint that a schema comes down to, and what of the schema the hint leaves unsaid."""
    unsaid = {key: value for key, value in schema.items() if key not in ("type", "title")}
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if values and all(isinstance(value, (str, int, float, NoneType)) for value in values):
        return Literal[tuple(values)], {k: v for k, v in unsaid.items() if k not in ("enum", "const")}
    kinds = schema.get("type", ())
    options = [HINTS.get(kind, Any) for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    if isinstance(schema.get("items"), Mapping) and list in options:
        inner, more = make_hint(schema["items"])
        options[options.index(list)] = list[inner]  # type: ignore[valid-type]
        unsaid = unsaid if more else {key: value for key, value in unsaid.items() if key != "items"}
    choices = [make_hint(one) for one in schema.get("anyOf", ()) if isinstance(one, Mapping)]
    if choices and not options:
        options = [hint for hint, _ in choices]
        if not any(more for _, more in choices):
            unsaid.pop("anyOf")
    return (reduce(or_, options) if options else Any), unsaid


def _describe(text: str, unsaid: Mapping[str, Any]) -> str:
    """Render a description, with what only a schema could say in brackets behind it."""
    beside = ", ".join(f"{key} {encode(value)}" for key, value in unsaid.items())
    return _SECTION.sub(r"\1 ", f"{text} ({beside})" if beside else text)
