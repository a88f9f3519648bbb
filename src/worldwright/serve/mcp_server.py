"""An episode as an MCP server: its tools, its opening messages, and nothing else.

    tools/list, tools/call      the tools of the episode, the one that submits included
    instructions                the system message
    prompts/get `task`          what is asked; `opening` is both in one, for clients that show no instructions

What a tool refuses is a result with `isError`, whatever was sent: a model reads such a result, a protocol error it never sees.
"""

from __future__ import annotations

import re
from asyncio import Lock
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, cast

from mcp import MCPError, types
from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from worldwright.agents.chat import encode
from worldwright.core.errors import EpisodeError
from worldwright.core.readonly import copy_writable
from worldwright.core.version import VERSION
from worldwright.engine.episode import Episode
from worldwright.world.records import Result, ToolError, ToolSpec

NAME = "worldwright"
TASK, OPENING = "task", "opening"
PROMPTS = {
    TASK: "What is asked.",
    OPENING: "The handbook and what is asked, in one: for clients that do not show a server's instructions.",
}
DONE = "worldwright/done"
"""In the `_meta` of a result: the episode has ended."""
ANSWER_TAKEN = "Your answer is taken. The episode is over."
_CACHE_FOR_AN_HOUR = CacheHint(ttl_ms=3_600_000)
"""Tools and messages stay the same as long as an episode lasts."""
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
"""What the protocol wants a tool to be called. Tools of a contract may be called `POST /v1/loans`."""
_INFO = {types.SERVER_INFO_META_KEY: {"name": NAME, "version": VERSION}}

Context = ServerRequestContext[Any, Any]


class LockedEpisode(Protocol):
    """An episode, and the lock that is held while it is used."""

    @property
    def episode(self) -> Episode: ...
    @property
    def lock(self) -> Lock: ...


def make_episode_server(
    find_episode: Callable[[Context], LockedEpisode], on_result: Callable[[Result], None] = lambda result: None
) -> Server[Any]:
    """Make a server for the episode that `find_episode` finds for a request. `on_result` gets the result of every call."""

    async def list_tools(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        tools = find_episode(ctx).episode.tools
        return types.ListToolsResult(tools=[render_tool(t, name) for name, t in assign_tool_names(tools).items()])

    async def list_prompts(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt(name=n, description=says) for n, says in PROMPTS.items()])

    async def get_prompt(ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name not in PROMPTS:
            raise MCPError(code=types.INVALID_PARAMS, message=f"the prompts are {' and '.join(PROMPTS)}")
        texts = _message_texts(find_episode(ctx).episode, *("user",) if params.name == TASK else ("system", "user"))
        messages = [types.PromptMessage(role="user", content=types.TextContent(text=text)) for text in texts]
        return types.GetPromptResult(description=PROMPTS[params.name], messages=messages)

    async def handle(ctx: Context, call_next: CallNext) -> HandlerResult:
        """Add the instructions of the episode, and make its tool calls.

        A call goes to its episode as it was sent, because the library would answer arguments that are no object with an error
        of the protocol. And it goes without being checked over and over on its way, which takes longer than most calls.
        """
        if ctx.request_id is None:  # a notification, which nobody waits for: there is none that does anything
            return await call_next(ctx)
        if ctx.method == "tools/call" and isinstance(name := (ctx.params or {}).get("name"), str):
            found = find_episode(ctx)
            async with found.lock:
                result = _call_tool(found.episode, name, (ctx.params or {}).get("arguments"))
                on_result(result)
            return render_result(result, ctx.protocol_version, name == found.episode.submit)
        answer = await call_next(ctx)
        if ctx.method in ("initialize", "server/discover"):
            said = "\n\n".join(_message_texts(find_episode(ctx).episode, "system"))
            return {**cast(dict[str, Any], answer), "instructions": said}
        return answer

    server: Server[Any] = Server(
        NAME,
        version=VERSION,
        on_list_tools=list_tools,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        cache_hints={
            "server/discover": _CACHE_FOR_AN_HOUR,
            "tools/list": _CACHE_FOR_AN_HOUR,
            "prompts/list": _CACHE_FOR_AN_HOUR,
        },
        # No argument travels in a header. Not told so, the library lists all tools before every call.
        get_tool_input_schema=lambda name: None,
    )
    server.middleware.append(handle)
    return server


def _call_tool(episode: Episode, name: str, arguments: Any) -> Result:
    if all(tool.name != name for tool in episode.tools):
        tool = assign_tool_names(episode.tools).get(name)
        name = name if tool is None else tool.name
    try:
        return episode.call(name, arguments)
    except EpisodeError:  # closed while the call was on its way
        return Result(False, None, ToolError("EPISODE_OVER", "This episode has ended."), True)


def _message_texts(episode: Episode, *roles: str) -> Iterator[str]:
    return (message["content"] for message in episode.messages if message["role"] in roles)


def assign_tool_names(tools: Sequence[ToolSpec]) -> Mapping[str, ToolSpec]:
    """Map unique names that the protocol allows to the tools, in order: a tool keeps its own name where it can."""
    taken = {tool.name for tool in tools}
    shown: dict[str, ToolSpec] = {}
    for tool in tools:
        name = tool.name
        if not _NAME.fullmatch(name):
            name = re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("_")[:100] or "tool"
            while name in taken or name in shown:
                name = f"{name}_"
        shown[name] = tool
    return shown


def render_tool(tool: ToolSpec, name: str) -> types.Tool:
    """Render a tool for every version of the protocol: earlier ones know no outputs but objects."""
    if name != tool.name:
        tool = replace(tool, name=name, description=f"{tool.description} (`{tool.name}` of this system.)".strip())
    shown = copy_writable(tool.mcp())
    shown["inputSchema"] = {**shown["inputSchema"], "type": "object"}
    if shown["outputSchema"].get("type") != "object":
        del shown["outputSchema"]
    return types.Tool.model_validate(shown)


def render_result(result: Result, version: str, submitted: bool) -> dict[str, Any]:
    """Render a result for a version of the protocol.

    A refusal is text alone: structured content promises the shape of the tool's output, and some clients hold it to that.
    """
    told = result.data if result.ok else result.payload()["error"]
    text = ANSWER_TAKEN if result.ok and submitted else encode(told)
    out: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": not result.ok}
    if result.ok and isinstance(result.data, dict):
        out["structuredContent"] = result.data
    meta: dict[str, Any] = {DONE: True} if result.done else {}
    if version in MODERN_PROTOCOL_VERSIONS:
        out["resultType"] = "complete"
        meta |= _INFO
    return {**out, "_meta": meta} if meta else out
