"""`worldwright rollout --worded-by`: a model says what requesters say, and decides nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.agents.chat_server import serving
from tests.cli.conftest import Run
from tests.rollout.test_speaker import LINES as BLUEPRINT
from tests.rollout.test_speaker import wording
from tests.shared_builds import build

from worldwright.agents.models import make_speaker
from worldwright.agents.protocol import Options
from worldwright.blueprint.load import load_file
from worldwright.core.errors import UsageError
from worldwright.pack.seal import write_pack


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")


def test_a_run_keeps_the_words_and_replays_without_the_model(run: Run, tmp_path: Path) -> None:
    pack, out = tmp_path / "lines", tmp_path / "out"
    write_pack(build(load_file(BLUEPRINT), 7).pack.files, pack)
    words = ("rollout", "--gym", str(pack), "--agent", "oracle", "--face", "asking", "--out", str(out))
    with serving(wording(lambda line: f"Hello! {line}")) as server:
        found = run(*words, "--worded-by", "openai:m", "--worded-by-url", server.url, "--json")
    assert found.code == 0, found.err
    assert "Hello!" in (out / "trajectories.jsonl").read_text()
    assert run("replay", str(out)).code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--worded-by", "openai:m"), "--face asking"),
        (("--worded-by", "planner", "--face", "asking"), "openai:MODEL"),
        (("--worded-by-url", "http://127.0.0.1:9/v1"), "--worded-by openai:MODEL"),
    ],
)
def test_who_words_what_is_asked_for_soundly(run: Run, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    pack = tmp_path / "lines"
    write_pack(build(load_file(BLUEPRINT), 7).pack.files, pack)
    found = run("rollout", "--gym", str(pack), "--agent", "oracle", *words, "--out", str(tmp_path / "out"))
    assert found.code == 2
    assert said in found.err
    with pytest.raises(UsageError):
        make_speaker("react:m", Options())
