"""An agent with one known weakness: it knows the key, and leaves out its first change as often as it is told (`wrong=0.6`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from worldwright.agents.oracle import Oracle
from worldwright.agents.protocol import Actor, Agent, Brief, Options
from worldwright.core.rng import Stream

READS = ("find", "get", "list", "search", "show")


class Handicapped:
    name = "handicapped"
    sees_key = True

    def __init__(self, wrong: float) -> None:
        self._wrong = wrong
        self.identity: Mapping[str, Any] = {"wrong": wrong}

    def begin(self, brief: Brief) -> Actor:
        key = brief.key
        assert key is not None
        writes = [at for at, call in enumerate(key.calls) if not call.tool.startswith(READS)]
        if writes and Stream("handicapped", brief.seed).chance(self._wrong):
            key = replace(key, calls=(*key.calls[: writes[-1]], *key.calls[writes[-1] + 1 :]))
        return Oracle().begin(Brief(brief.seed, key))


def make(options: Options) -> Agent:
    return Handicapped(float(options.more.get("wrong", "0.6")))
