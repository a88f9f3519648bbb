"""Models as agents: whatever answers at an OpenAI-compatible endpoint, over the network or on this machine.

    settings   what a model is asked with, read from the options of the command line; the key, read from the environment
    client     the connection: one client for each event loop, its limits, its retries, and what its failures mean
    wire       messages as strict endpoints want them, and messages out of whatever an endpoint answers
    react      the same conversation in plain text, for models that cannot call tools
    model      the agent
    speaker    who words what a requester says

Needs the library of the extra `models`, and only once an agent is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from worldwright.agents.models.settings import OPENAI, REACT, read_settings
from worldwright.agents.protocol import Agent, Options
from worldwright.core.errors import UsageError


def make_openai(options: Options) -> Agent:
    """A model that calls tools: `openai:MODEL`."""
    return _make_model(options, OPENAI)


def make_react(options: Options) -> Agent:
    """A model that writes what it wants to call: `react:MODEL`."""
    return _make_model(options, REACT)


def make_speaker(spec: str, options: Options) -> Callable[[str, str], str | None]:
    """A model that words what requesters say: `openai:MODEL`."""
    mode, _, model = spec.partition(":")
    if mode != OPENAI:
        raise UsageError(f"what requesters say is worded by openai:MODEL, not by {spec[:60]!r}")
    settings = read_settings(replace(options, model=model), mode)
    try:
        from worldwright.agents.models.speaker import Speaker  # noqa: PLC0415  the library comes with an extra
    except ModuleNotFoundError as e:
        raise _name_missing(e) from None
    return Speaker(settings)


def _make_model(options: Options, mode: str) -> Agent:
    settings = read_settings(options, mode)
    try:
        from worldwright.agents.models.model import Model  # noqa: PLC0415  the library comes with an extra
    except ModuleNotFoundError as e:
        raise _name_missing(e) from None
    return Model(settings)


def _name_missing(e: ModuleNotFoundError) -> UsageError:
    return UsageError(f"asking a model needs {e.name}: pip install 'worldwright[models]'")
