"""A gym as an environment of verifiers v1: its tasks, and a harness that plays them in the same process.

`worldwright export --to verifiers` writes a package around these classes, one for each gym: packages are where verifiers looks
for plugins. The reward comes from playing the episode's log again, so a saved trace can be graded again (`vf-replay`).
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from functools import cache
from typing import Any, ClassVar

import verifiers.v1 as vf
from openai import APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient
from pydantic import Field
from verifiers.v1.harnesses.utils.compaction import is_context_overflow

from worldwright.adapters.names import rename_tools
from worldwright.adapters.rows import TASK, VARIANT, list_rows, render_verdict
from worldwright.adapters.verifiers_tools import RESERVED, WorldData, WorldState, WorldToolset
from worldwright.agents import chat
from worldwright.core.errors import EpisodeError, UsageError
from worldwright.engine.episode import Episode
from worldwright.world.records import Result, ToolError
from worldwright.world.tasks import Verdict

KEPT = "worldwright"
"""Where a trace keeps the episode's log and its verdict, in its `info`."""
_trusted = cache(ssl.create_default_context)
"""The certificates of this machine: to read them takes longer than an episode, so it is done once."""


class WorldTaskConfig(vf.TaskConfig):
    tool_server: bool = False
    """Serve the tools over MCP from a process of their own, for other harnesses: seconds more for every rollout."""
    tools: vf.ToolsetConfig = vf.ToolsetConfig()


class WorldTask(vf.Task[WorldData, WorldState, WorldTaskConfig]):
    @property
    def key(self) -> str:
        """The same wherever the row stands in a list, and whatever system prompt is put before it."""
        return f"{self.data.world}/{self.data.task}/{self.data.face}"

    @classmethod
    def toolsets(cls, config: WorldTaskConfig) -> list[vf.Toolset]:
        return [WorldToolset(config.tools)] if config.tool_server else []

    @vf.stop
    async def submitted(self, trace: vf.Trace) -> bool:
        return bool(trace.state.done)

    async def finalize(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        trace.info[KEPT] = {"log": trace.state.log, "failure": trace.state.failure}

    @vf.reward
    async def verdict(self, trace: vf.Trace) -> float:
        """Score 1 or 0. Where the environment failed this raises: the trace is not `ok`, and no trainer learns from it."""
        kept = trace.info.setdefault(KEPT, {"log": "", "failure": ""})
        found = Verdict("error", reason=kept["failure"]) if kept["failure"] else self.data.judge(kept["log"])
        kept["verdict"] = render_verdict(found)
        if found.reward is None:
            raise EpisodeError(f"the environment failed: {found.reason}")
        return found.reward

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Return whether the witness of the task's key earns the reward (`vf-validate`)."""
        return bool(self.data.judge_witness().reward)


class WorldsConfig(vf.TasksetConfig):
    variants: list[str] = Field(default_factory=list)
    """Which worlds of the gym; all where none is named."""
    face: str = "plain"
    """How tasks are shown: plain, or any of crowded, obscured and asking joined by `_`."""
    task: WorldTaskConfig = WorldTaskConfig()


class WorldTaskset(vf.Taskset[WorldTask, WorldsConfig]):
    gym: ClassVar[str]
    """A reference in the store, a folder of packs, or `package:NAME`."""

    def load(self) -> Iterator[WorldTask]:
        for row in list_rows(self.gym, self.config.variants or None, face=self.config.face):
            system, request = (m["content"] for m in row.pop("prompt"))
            name = f"{row[VARIANT]}/{row[TASK]}"
            more = {"id": name, "name": name, "system_prompt": system, "prompt": request, "face": self.config.face}
            yield WorldTask(WorldData(**row, **more), self.config.task)


class WorldHarnessConfig(vf.HarnessConfig):
    silent: int = Field(3, ge=1)
    """So many replies in a row without a call end an episode."""


class WorldHarness(vf.Harness[WorldHarnessConfig]):
    """A chat with the world's tools, called in this process. It ends when an answer is submitted."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(
        self, ctx: vf.ModelContext, trace: vf.Trace, runtime: vf.Runtime, endpoint: str, secret: str,
        mcp_urls: dict[str, str], data: vf.TaskData,
    ) -> vf.ProgramResult:  # fmt: skip
        if not isinstance(data, WorldData):
            raise UsageError("this harness plays tasks of a Worldwright gym only")
        system, request = self.resolve_text_prompt(data)
        messages = [{"role": "system", "content": system}, {"role": "user", "content": request}]
        with data.open() as episode:
            try:
                http = DefaultAsyncHttpxClient(verify=_trusted())
                async with AsyncOpenAI(base_url=endpoint, api_key=secret, timeout=None, http_client=http) as client:
                    await self._chat(client, ctx.model, episode, messages)
            except APIStatusError as e:
                if not is_context_overflow(e):  # a full context ends an episode, as it does in verifiers' own harnesses
                    raise
            finally:
                trace.state.note(episode)
        return vf.ProgramResult(0, "", "")

    async def _chat(self, client: AsyncOpenAI, model: str, episode: Episode, messages: list[Any]) -> None:
        tools, real = rename_tools(episode.tools, RESERVED)
        offered = [chat.render_tool(t) for t in tools if t.name not in (self.config.disabled_tools or ())]
        body, silent = {"model": model, "messages": messages, "tools": offered}, 0
        while not episode.done and silent < self.config.silent:
            found: Any = await client.post("/chat/completions", cast_to=object, body=body)
            said: Any = {k: v for k, v in found["choices"][0]["message"].items() if v is not None}
            messages.append(said)
            asked = chat.parse_tool_calls(said)
            silent = 0 if asked else silent + 1
            if not asked:
                messages.append({"role": "user", "content": chat.NUDGE.format(submit=tools[-1].name)})
            for one in asked:
                unread = Result(False, None, ToolError("INVALID_ARGUMENT", one.problem))
                result = unread if one.problem else episode.call(real.get(one.name, one.name), one.arguments)
                messages.append(chat.make_result_message(one, result))


class WorldEnvConfig(vf.SingleAgentEnvConfig):
    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """Nothing is run beside this process, so there is no box to be paid for."""


class WorldEnv(vf.SingleAgentEnv, vf.Env[WorldEnvConfig]):
    """One agent, one task."""
