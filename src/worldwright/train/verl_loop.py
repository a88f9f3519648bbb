"""A gym in verl: an agent loop that plays an episode with exact tokens and brings the verdict as its reward.

`converse` is the loop; it needs no verl. `WorldAgentLoop` in the file that `worldwright export --to verl` writes is a coat over it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from worldwright.adapters.rows import open_row
from worldwright.agents import chat
from worldwright.agents.chat import Message
from worldwright.train.talk import Line, Talk

Generate = Callable[[list[int]], Awaitable[Sequence[int]]]
"""Given all tokens so far, what the model says next."""


class Conversation(NamedTuple):
    prompt: list[int]
    response: list[int]
    mask: list[int]
    """1 where the model spoke. All 0 where the world gave no verdict: such an episode moves nothing."""
    reward: float
    turns: int
    no_verdict: bool


async def converse(
    generate: Generate, talk: Talk, row: Mapping[str, Any], turns: int, most: int, face: str = "plain"
) -> Conversation:
    """Play the episode of a row: so many turns, and so many tokens behind the prompt at most."""
    with open_row(dict(row), face) as episode:
        tools = [chat.render_tool(spec) for spec in episode.tools]
        messages: list[Message] = [{"role": m["role"], "content": m["content"]} for m in episode.messages]
        prompt = talk.opening(messages, tools)
        line = Line()
        count = 0
        while count < turns:
            said = list(await generate([*prompt, *line.ids]))
            line.spoke(said)
            count += 1
            back: list[Message] = []
            for one in chat.parse_tool_calls(talk.read(talk.text(said))):
                result = episode.call(one.name, one.arguments if not one.problem else one.problem)
                back.append(chat.make_result_message(one, result))
            if episode.done:
                break
            nudge = chat.NUDGE.format(submit=episode.submit)
            told = talk.back(back or [{"role": "user", "content": nudge}], bool(said) and said[-1] == talk.end_id)
            if count == turns or len(line.ids) + len(told) >= most:
                break
            line.told(told)
        verdict = episode.verify()
    mask = [0] * len(line.said) if verdict.reward is None else line.said
    return Conversation(prompt, line.ids[:most], mask[:most], verdict.reward or 0.0, count, verdict.reward is None)
