from __future__ import annotations

from pathlib import Path

import pytest

from worldwright.cli.commands import demo
from worldwright.cli.demo import tasks, world

from .conftest import Run


@pytest.mark.slow
def test_the_tour_makes_every_stop(run: Run, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def walk(*args: object) -> list[str]:
        made.extend(world.walk(*args))  # type: ignore[arg-type]
        return made

    def show_work(*args: object) -> list[str]:
        made.extend(tasks.show_work(*args))  # type: ignore[arg-type]
        return made

    monkeypatch.setattr(demo, "walk", walk)
    monkeypatch.setattr(demo, "show_work", show_work)
    found = run("demo", "--dir", str(tmp_path / "worlds"))
    assert found.code == 0
    assert made == ["read", "write", "refusal", "fork", "requests", "solved", "near miss"]
    for text in ("SEALED", "refused BANK_NOT_VERIFIED", "policy bank_verified", "rebuilt bit for bit", "TRY NEXT"):
        assert text in found.out
    assert "handbook: this breaks bank_change_sender" in found.out
    assert "assertions hold, reward 1" in found.out
    assert "assertions hold, reward 0" in found.out
    assert [line for line in found.out.splitlines() if len(line) > 100 and str(tmp_path) not in line] == []
    for text in (
        "UPLOAD",
        "14 of 14 operations",
        "stated: A rental with a price over 400 EUR",
        "CONTRACT",
        "operator> hand",
        "AGENTS",
        "oracle    100%",
        "noop        0%",
        "285 of 285 episodes come out the same",
    ):
        assert text in found.out
    worlds = sorted(p.name.rpartition("-")[0] for p in (tmp_path / "worlds").iterdir())
    assert worlds == ["enterprise_procurement", "tool_rental"]
    assert not home.exists()
