"""The bench for a coding agent: the verbs as tools of an MCP server on standard input and output."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread
from mcp import types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from worldwright.author import verbs
from worldwright.author.folder import read_facts
from worldwright.core.errors import WorldwrightError
from worldwright.core.version import VERSION

NAME = "worldwright-author"
BY = "agent over MCP"
_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 1}


@dataclass(frozen=True, slots=True)
class Tool:
    """One verb as a tool."""

    says: str
    properties: Mapping[str, Any]
    required: tuple[str, ...]
    run: Callable[[Path, Mapping[str, Any]], Any]


TOOLS: Mapping[str, Tool] = {
    "guide": Tool("The guide for authors: the language by example, and how to work. Read it first.",
        {"chapter": {**_TEXT, "description": "Only the chapter whose title holds this."}}, (),
        lambda f, a: verbs.read_guide(a.get("chapter", ""))),
    "list_evidence": Tool("The sheets of the evidence, each with the number of its lines.", {}, (),
        lambda f, a: [{"file": n, "lines": k} for n, k in verbs.list_evidence(f)]),
    "read_evidence": Tool("Lines of a sheet of the evidence, each under the place that sources name.",
        {"file": _TEXT, "start": _COUNT, "most": _COUNT, "find": {**_TEXT, "description": "Only lines that hold this."}}, ("file",),
        lambda f, a: verbs.read_evidence(f, a["file"], a.get("start", 1), a.get("most", 400), a.get("find", ""))),
    "list_claims": Tool("Statements of the evidence and what became of them.",
        {"only": {"enum": ["open", "business", "bound", "not_business", "not_expressible"]}, "start": _COUNT, "most": _COUNT}, (),
        lambda f, a: verbs.list_claims(f, a.get("only", ""), a.get("start", 1), a.get("most", 200))),
    "read_file": Tool("One of your files: blueprint.yaml, contract.yaml, claims.yaml, cases.yaml or notes.md.",
        {"file": _TEXT}, ("file",),
        lambda f, a: verbs.read_own_file(f, a["file"])),
    "write_file": Tool("Write one of your files whole.", {"file": _TEXT, "text": _TEXT}, ("file", "text"),
        lambda f, a: verbs.write_own_file(f, a["file"], a["text"])),
    "edit_file": Tool("Replace a text that stands once in one of your files.",
        {"file": _TEXT, "old": _TEXT, "new": _TEXT}, ("file", "old", "new"),
        lambda f, a: verbs.edit_own_file(f, a["file"], a["old"], a["new"])),
    "set_nodes": Tool("Set nodes of the Blueprint by path (`policies.carry_over`) to values, and remove others.",
        {"nodes": {"type": "object"}, "remove": {"type": "array", "items": _TEXT}}, ("nodes",),
        lambda f, a: verbs.set_nodes(f, a["nodes"], a.get("remove", ()))),
    "bind_claims": Tool("Say what became of claims: {id, is: bound | not_business | not_expressible, to: [policy:NAME, ...], why}. "
        "One that the reader missed has no id but `at` and `says`, the words of the evidence.",
        {"claims": {"type": "array", "items": {"type": "object"}}}, ("claims",), lambda f, a: verbs.bind_claims(f, a["claims"])),
    "brief_cases": Tool("What a writer of independent cases may see. Give it to somebody who has not seen the rule.",
        {"policy": _TEXT}, ("policy",), lambda f, a: verbs.brief_cases(f, a["policy"])),
    "add_cases": Tool("Keep cases that somebody else wrote from the brief.",
        {"policy": _TEXT, "by": _TEXT, "cases": {"type": "array", "items": {"type": "object"}}}, ("policy", "by", "cases"),
        lambda f, a: verbs.add_cases(f, a["policy"], a["by"], a["cases"])),
    "check": Tool("Check everything: findings, claims and grade. Ends the round. `world: false` looks at the files alone.",
        {"world": {"type": "boolean"}}, (), lambda f, a: verbs.checkup_data(verbs.check(f, BY, a.get("world", True)))),
    "next": Tool("The few findings that pay most.", {}, (), lambda f, a: verbs.next_data(verbs.check(f, BY))),
    "diff": Tool("What the changes do to tools, rows, tasks and grade.", {"since": {"enum": ["began", "last"]}}, (),
        lambda f, a: [asdict(c) for c in verbs.diff(f, a.get("since", "began"))]),
    "lock": Tool("Keep the world in the store, in the place of the draft. Refused while there are errors.", {}, (),
        lambda f, a: {k: v for k, v in verbs.lock(f, BY).items() if k in ("anchor", "digest", "worlds")}),
}  # fmt: skip


def call_tool(folder: Path, name: str, arguments: Any) -> tuple[bool, str]:
    """Whether a call went well, and what it says. Nothing that is sent makes the server fail."""
    tool = TOOLS.get(name)
    if tool is None:
        return False, f"there is no tool `{name[:60]}`; there are {', '.join(TOOLS)}"
    given = arguments if isinstance(arguments, Mapping) else {}
    wrong = find_wrong_argument(tool, given)
    if wrong:
        return False, wrong
    try:
        found = tool.run(folder, given)
    except WorldwrightError as e:
        return False, str(e)
    return True, found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, indent=1)


_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "object": Mapping,
    "array": list,
}


def find_wrong_argument(tool: Tool, given: Mapping[str, Any]) -> str:
    """Say what is wrong with the arguments of a call; empty where nothing is."""
    for name in tool.required:
        if name not in given:
            return f"`{name}` is required"
    for name, value in given.items():
        schema = tool.properties.get(name)
        if schema is None:
            return f"there is no argument `{str(name)[:60]}`; there are {', '.join(tool.properties) or 'none'}"
        kind = schema.get("type")
        if kind and not isinstance(value, _KINDS[kind]):
            return f"`{name}` is of type {kind}"
        if kind == "array" and not all(isinstance(v, _KINDS[schema["items"]["type"]]) for v in value):
            return f"`{name}` is a list of {schema['items']['type']}s"
        if "enum" in schema and value not in schema["enum"]:
            return f"`{name}` is one of {', '.join(schema['enum'])}"
    return ""


def make_server(folder: Path) -> Server[Any]:
    """A server for one bench."""
    facts = read_facts(folder)

    async def list_tools(
        ctx: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=name, description=t.says,
                    input_schema={"type": "object", "properties": dict(t.properties), "required": list(t.required),
                                  "additionalProperties": False},
                )
                for name, t in TOOLS.items()
            ]
        )  # fmt: skip

    async def run_tool(
        ctx: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        ok, says = await to_thread.run_sync(call_tool, folder, params.name, params.arguments)
        return types.CallToolResult(content=[types.TextContent(text=says)], is_error=not ok)

    of = facts.get("title") or facts.get("anchor")
    says = f"The bench of {of}. Read `guide` first, then the evidence and the claims; `check` says what is missing."
    return Server(NAME, version=VERSION, instructions=says, on_list_tools=list_tools, on_call_tool=run_tool)


def serve_bench(folder: Path) -> None:
    """Serve a bench until the client hangs up."""

    async def serve() -> None:
        server = make_server(folder)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)
