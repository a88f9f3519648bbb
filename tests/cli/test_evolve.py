"""`worldwright evolve`, as people call it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run


def test_what_cannot_be_evolved_is_said(run: Run, library: str, tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "out"))
    same = run("evolve", "--agent", "noop", "--dev", library, "--held-out", library, "--workers", "0", *out)
    assert same.code == 2
    assert "trained on" in same.err
    wrong = run("evolve", "--agent", "noop", "--dev", library, "--held-out", library, "--train", "x {model}", *out)
    assert "{model}" in wrong.err


@pytest.mark.slow
def test_a_round_without_training(run: Run, tmp_path: Path) -> None:
    """Fresh worlds of two domains, and an agent that never does anything: nothing is in its band, and the first round says so."""
    for name in ("motor_claims", "release_management"):
        done = run("generate", "--domain", name, "--battery", "bulk", "--tasks-per-world", "4")
        assert done.code == 0, done.err
    args = ("evolve", "--agent", "noop", "--dev", "motor_claims", "--held-out", "release_management", "--worlds", "1",
            "--tasks-per-world", "3", "--workers", "0", "--out", str(tmp_path / "out"))  # fmt: skip
    found = run(*args, "--json")
    assert found.code == 0, found.err
    [only] = found.data["rounds"]
    assert only["worlds"] == 1
    assert only["kept"] == 0
    assert "band" in only["verdict"]
    assert found.data["ended"]
    shown = run(*args)
    assert "first to last" in shown.out
    assert (tmp_path / "out" / "lineage.jsonl").read_text().count("gave_up_early") == 1
