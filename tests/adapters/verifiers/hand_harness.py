"""A harness of somebody else's: it knows nothing of worlds, only verifiers' own MCP client and a chat."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from typing import Any

import verifiers.v1 as vf
from openai import AsyncOpenAI
from verifiers.v1.harnesses.utils.mcp import call_mcp, connect_mcp


class HandConfig(vf.HarnessConfig):
    pass


class HandHarness(vf.Harness[HandConfig]):
    APPENDS_SYSTEM_PROMPT = SUPPORTS_MCP = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(
        self, ctx: Any, trace: Any, runtime: Any, endpoint: str, secret: str, mcp_urls: dict[str, str], data: Any
    ) -> vf.ProgramResult:
        messages: list[Any] = [
            {"role": "system", "content": data.system_prompt},
            {"role": "user", "content": data.prompt},
        ]
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(AsyncOpenAI(base_url=endpoint, api_key=secret))
            servers_named = {"mcpServers": {name: {"url": url} for name, url in mcp_urls.items()}}
            tools, dispatch, servers = await connect_mcp(servers_named, stack)
            while True:
                found: Any = await client.chat.completions.create(model=ctx.model, messages=messages, tools=tools)
                said = found.choices[0].message
                messages.append(said.model_dump(exclude_none=True))
                for one in said.tool_calls or []:
                    given = json.loads(one.function.arguments)
                    text = await call_mcp(servers, dispatch, one.function.name, given)
                    messages.append({"role": "tool", "tool_call_id": one.id, "content": text})


__all__ = ["HandHarness"]
