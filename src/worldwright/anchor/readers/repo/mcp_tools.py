"""Tools of MCP servers: functions under `@mcp.tool()`, and `Tool(...)` records that a server lists."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from worldwright.anchor.evidence import Operation, Parameter
from worldwright.anchor.readers.repo.names import Repo, Scope
from worldwright.anchor.readers.repo.operations import Call, operation
from worldwright.anchor.readers.repo.signatures import answer_of, tool_inputs
from worldwright.anchor.readers.repo.source import Function, argument, keyword, last, path_of
from worldwright.anchor.schema.shapes import shape_of

_SERVERS = frozenset({"mcp", "server", "fastmcp"})


def mcp_tools(repo: Repo) -> Iterator[Operation]:
    """Every tool, in order of the files."""
    for function in repo.functions:
        for decorator in function.node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(target, ast.Attribute) and target.attr == "tool" and _is_server(repo, function, target.value):
                yield _tool(repo, function, decorator if isinstance(decorator, ast.Call) else None)
    for module in repo.modules:
        if any(path.split(".")[0] in ("mcp", "mcp_types") for path in module.imports.values()):
            for node in ast.walk(module.tree):
                if isinstance(node, ast.Call) and last(path_of(node)) == "Tool":
                    yield from _listed(repo, Scope(module), node)


def _is_server(repo: Repo, function: Function, holder: ast.expr) -> bool:
    """Tell whether `holder.tool` belongs to an MCP server: by what it is made of, else by its name."""
    path = path_of(holder)
    made = repo.find_value(function.module, path)
    if made is not None and isinstance(made[1], ast.Call):
        return "mcp" in repo.full(made[0], path_of(made[1])).lower()
    return last(path).lower() in _SERVERS or "mcp" in last(path).lower()


def _tool(repo: Repo, function: Function, call: ast.Call | None) -> Operation:
    scope = Scope(function.module, function.cls)
    taken = tool_inputs(repo, function)
    name = repo.text(scope, argument(call, 0, "name")) if call is not None else ""
    says = repo.text(scope, keyword(call, "description")) if call is not None else ""
    title = repo.text(scope, keyword(call, "title")) if call is not None else ""
    answer = answer_of(repo, function, None)
    made = operation(
        repo, Call(name or function.name, parameters=taken.parameters, answer=answer, says=says, title=title), function
    )
    return _hinted(repo, scope, made, keyword(call, "annotations") if call is not None else None)


def _hinted(repo: Repo, scope: Scope, made: Operation, node: ast.expr | None) -> Operation:
    """A tool that says of itself whether it only reads."""
    given: list[tuple[str, ast.expr]] = []
    if isinstance(node, ast.Call):
        given = [(k.arg, k.value) for k in node.keywords if k.arg]
    elif isinstance(node, ast.Dict):
        given = [(repo.text(scope, k), v) for k, v in zip(node.keys, node.values, strict=True) if k is not None]
    for word, value in given:
        flag = repo.value(scope, value)
        if isinstance(flag, bool) and word in ("readOnlyHint", "read_only_hint"):
            return replace(made, read_only=flag)
    return made


def _listed(repo: Repo, scope: Scope, call: ast.Call) -> Iterator[Operation]:
    """`Tool(name=..., description=..., inputSchema={...})`, where the schema is written out."""
    name = repo.text(scope, keyword(call, "name"))
    schema = repo.value(scope, keyword(call, "inputSchema", "input_schema"))
    if not name or not isinstance(schema, dict):
        return
    plain = {str(k): _as_json(v) for k, v in schema.items()}
    shape = shape_of(plain)
    source = scope.module.source(call)
    parameters = tuple(
        Parameter(f.name, "argument", f.shape, f.required, f.says, source) for f in shape.fields.values()
    )
    says = repo.text(scope, keyword(call, "description"))
    made = operation(repo, Call(name, parameters=parameters, says=says, source=source), None)
    made = replace(made, title=repo.text(scope, keyword(call, "title")), input_schema=plain)
    yield _hinted(repo, scope, made, keyword(call, "annotations"))


def _as_json(value: object) -> object:
    """A value with lists as JSON has them."""
    if isinstance(value, dict):
        return {str(k): _as_json(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return [_as_json(v) for v in value]
    return value
