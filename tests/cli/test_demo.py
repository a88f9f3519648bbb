"""The tour for somebody who has never seen it: five acts of one screen each, with every stop made."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldwright.cli.demo import tasks, world

from .conftest import Run

MAX_ACT_LINES = 44


@pytest.mark.slow
def test_the_tour_makes_every_stop(run: Run, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    walk, show_work = world.walk, tasks.show_work
    monkeypatch.setattr(world, "walk", lambda *args: made.extend(walk(*args)))
    monkeypatch.setattr(tasks, "show_work", lambda *args: made.extend(show_work(*args)))
    found = run("demo", "--dir", str(tmp_path / "worlds"))
    assert found.code == 0
    assert made == ["read", "write", "refusal", "fork", "requests", "solved", "near miss"]
    for text in (
        "SEALED",
        "refused BANK_NOT_VERIFIED",
        "breaks bank_change_sender",
        "assertions hold, reward 1",
        "assertions hold, reward 0",
        "oracle    100%",
        "noop        0%",
        "120 of 120 episodes come out the same",
        "14 of 14 operations",
        "What the next word asks for",
        "rebuilt bit for bit",
        "TRY NEXT",
    ):
        assert text in found.out
    assert [line for line in found.out.splitlines() if len(line) > 100 and str(tmp_path) not in line] == []
    _, *acts = found.out.split("\nACT ")
    assert [act[:6] for act in acts] == [f"{n} OF 5" for n in range(1, 6)]
    acts[-1] = acts[-1].partition("Meanwhile")[0]
    for act in acts:
        lines = [line for line in act.splitlines() if not line.endswith(" ...")]  # said only where a machine is slow
        assert len(lines) <= MAX_ACT_LINES
    worlds = sorted(p.name.rpartition("-")[0] for p in (tmp_path / "worlds").iterdir())
    assert worlds == ["enterprise_procurement", "tool_rental"]
    assert not home.exists()
