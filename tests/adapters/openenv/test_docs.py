"""The lines on the page run as they stand there."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import pytest

from worldwright.pack.open import open_pack
from worldwright.store.store import Store

openenv = pytest.importorskip("openenv")
PAGE = Path(__file__).parents[3] / "docs" / "adapters" / "openenv.md"


@pytest.fixture
def in_store(gym_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLDWRIGHT_HOME", str(tmp_path))
    pack = open_pack(gym_folder / "seed_7")
    Store().put(pack.files, pack.manifest)
    Store().tag("town_library", "latest", "default-7", pack.manifest.digest)


@pytest.mark.usefixtures("in_store")
def test_the_lines_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    [block] = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len([line for line in block.splitlines() if line.strip()]) <= 15
    names: dict[str, Any] = {}
    before = set(threading.enumerate())
    exec(block, names)
    names["server"].should_exit = True
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=10)
    assert re.search(r"submit an answer with\n(- .*\n)+True 0.0 fail\n", capsys.readouterr().out)


@pytest.mark.usefixtures("in_store")
def test_the_session_of_the_page() -> None:
    [line] = re.findall(r"    (session = .*)\n", PAGE.read_text(encoding="utf-8"))
    from worldwright.adapters.openenv_sessions import GymSessions

    names: dict[str, Any] = {"GymSessions": GymSessions}
    exec(line, names)
    assert names["session"].verify([]).env_reward == 0.0
