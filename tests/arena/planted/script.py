"""A scripted agent: it knows the key, and plays what it is told, mistakes and all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.agents.chat import Message, Tool, call, get_submit_name, make_text_message, read_payload
from worldwright.agents.protocol import Brief
from worldwright.arena.diagnose.evidence import BUSY
from worldwright.engine.env import Env
from worldwright.engine.limits import Limits as EngineLimits
from worldwright.engine.world import World
from worldwright.rollout.episode import EpisodeSetup, Openings, play
from worldwright.rollout.records import Episode, EpisodeKey, Limits


@dataclass(frozen=True, slots=True)
class Move:
    """One message: a call, or words."""

    tool: str = ""
    """Nothing for words; `SUBMIT` for the tool that submits."""
    arguments: Any = None
    raw: str = ""
    """The arguments as they are sent, where they are no JSON."""


SUBMIT = "$submit"
WORDS = Move()
TURNS = 80


@dataclass(frozen=True, slots=True)
class Script:
    """What is played, and the class of failure that it is."""

    kind: str
    moves: tuple[Move, ...]
    turns: int = TURNS


class Scripted:
    """An agent that plays a script. After its last move it says nothing more."""

    name = "scripted"
    sees_key = False
    identity: Mapping[str, Any] = {"version": 1}

    def __init__(self, moves: Sequence[Move]) -> None:
        self._moves = tuple(moves)
        self._next = 0

    def begin(self, brief: Brief) -> Scripted:
        return Scripted(self._moves)

    def act(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Message:
        if self._next and _turned_away(messages):
            self._next -= 1
        move = self._moves[self._next] if self._next < len(self._moves) else WORDS
        self._next += 1
        if not move.tool:
            return make_text_message("I leave it at that.")
        name = get_submit_name(tools) if move.tool == SUBMIT else move.tool
        out = call(name, move.arguments or {}, messages)
        if move.raw:
            out["tool_calls"][0]["function"]["arguments"] = move.raw
        return out


def _turned_away(messages: Sequence[Message]) -> bool:
    found = read_payload(messages[-1]) if messages else None
    error = found.get("error") if isinstance(found, Mapping) else None
    return isinstance(error, Mapping) and error.get("code") in BUSY


class Player:
    """Plays scripts in one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._openings = Openings()
        self._env: Env = world.env(EngineLimits(calls=200))

    def play(self, task: str, script: Script, number: int) -> Episode:
        spot = EpisodeKey(self._world.digest, task, number)
        setting = EpisodeSetup(f"{task}-{number}", spot, self._world.name, "", "plain", 0, "0" * 16)
        return play(self._env, Scripted(script.moves), setting, Limits(turns=script.turns), self._openings)

    def close(self) -> None:
        self._env.close()
