"""Play an episode inside verl: with exact tokens and masks, and the verdict as its reward.

`play_episode` needs no verl. `WorldAgentLoop` in the file that `worldwright export --to verl` writes calls it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from worldwright.adapters.rows import open_row
from worldwright.agents import chat
from worldwright.agents.chat import Message
from worldwright.train.chat_format import ChatFormat, TokenizedEpisode

Generate = Callable[[list[int]], Awaitable[Sequence[int]]]
"""Generates the model's next turn from all tokens so far."""


class AgentLoopEpisode(NamedTuple):
    """An episode as verl takes it."""

    prompt_ids: list[int]
    response_ids: list[int]
    response_mask: list[int]
    """1 on tokens of the model. All 0 where the world gave no verdict, so that the episode has no gradient."""
    reward: float
    turns: int
    no_verdict: bool


async def play_episode(
    generate: Generate, chat_format: ChatFormat, row: Mapping[str, Any], max_turns: int, max_response_tokens: int,
    face: str = "plain",
) -> AgentLoopEpisode:  # fmt: skip
    """Play the episode of a dataset row, with at most so many turns and so many tokens after the prompt."""
    with open_row(dict(row), face) as episode:
        tools = [chat.render_tool(spec) for spec in episode.tools]
        messages: list[Message] = [{"role": m["role"], "content": m["content"]} for m in episode.messages]
        prompt = chat_format.encode_prompt(messages, tools)
        tokens = TokenizedEpisode()
        turns = 0
        while turns < max_turns:
            generated = list(await generate([*prompt, *tokens.token_ids]))
            tokens.append_response(generated)
            turns += 1
            results: list[Message] = []
            for call in chat.parse_tool_calls(chat_format.parse_response(chat_format.decode(generated))):
                result = episode.call(call.name, call.arguments if not call.problem else call.problem)
                results.append(chat.make_result_message(call, result))
            if episode.done:
                break
            nudge: Message = {"role": "user", "content": chat.NUDGE.format(submit=episode.submit)}
            ended = bool(generated) and generated[-1] == chat_format.eos_token_id
            observation = chat_format.encode_observation(results or [nudge], ended)
            if turns == max_turns or len(tokens.token_ids) + len(observation) >= max_response_tokens:
                break
            tokens.append_context(observation)
        reward = episode.verify().reward
    mask = [0] * len(tokens.response_mask) if reward is None else tokens.response_mask
    return AgentLoopEpisode(
        prompt, tokens.token_ids[:max_response_tokens], mask[:max_response_tokens], reward or 0.0, turns, reward is None
    )
