"""Nothing of what is held out is trained on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.distill.played import changed, elsewhere, write_run

from worldwright.distill.make import distill
from worldwright.distill.records import TEST, TRAIN, EpisodeSummary, Recipe
from worldwright.distill.split import split_episodes
from worldwright.rollout.read import Run

NAMES = st.sampled_from([f"domain_{n}" for n in range(8)])


def seen(domain: str, world: int, opening: int, request: int, held_out: bool = False, group: int = 0) -> EpisodeSummary:
    return EpisodeSummary(
        0, 0, "id", "digest", "pass", domain, "v", f"world {world}", "task_001", "walk", "role", "plain", "agent", 1, False,
        held_out, f"g{group}" if group else "", f"opening {opening}", b"ask", request.to_bytes(2),
    )  # fmt: skip


EPISODES = st.lists(
    st.builds(
        seen, NAMES, st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.booleans(), st.integers(0, 9)
    ),
    min_size=1,
    max_size=25,
)


@given(EPISODES, st.floats(0.01, 0.99))
def test_no_domain_world_opening_or_request_is_on_both_sides(episodes: list[EpisodeSummary], share: float) -> None:
    found = split_episodes(episodes, Recipe(held_out=share))
    by_side = {side: [s for s in episodes if found.side(s) == side] for side in (TRAIN, TEST)}
    assert sum(map(len, by_side.values())) == len(episodes)
    for name in ("domain", "world", "opening", "request"):
        assert not {getattr(s, name) for s in by_side[TRAIN]} & {getattr(s, name) for s in by_side[TEST]}
    assert bool(by_side[TEST]) == (len(found.families) > 1)
    assert by_side[TRAIN]
    assert split_episodes(list(reversed(episodes)), Recipe(held_out=share)).held_out == found.held_out


@given(EPISODES)
def test_held_out_words_are_not_trained_on(episodes: list[EpisodeSummary]) -> None:
    found = split_episodes(episodes, Recipe(split="words"))
    train = {s.request for s in episodes if found.side(s) == TRAIN}
    assert not train & {s.request for s in episodes if s.held_out}
    about = {(s.world, s.group) for s in episodes if found.side(s) == TRAIN and s.group}
    assert not about & {(s.world, s.group) for s in episodes if s.held_out}


def test_a_domain_stays_on_its_side_when_others_come() -> None:
    few = [seen(f"domain_{n}", n, n, n) for n in range(40)]
    more = [seen(f"domain_{n}", n, n, n) for n in range(80)]
    share = Recipe(held_out=0.3)
    assert split_episodes(few, share).held_out < split_episodes(more, share).held_out
    assert 8 <= len(split_episodes(few, share).held_out) <= 16


def rows(folder: Path, fmt: str, side: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / fmt / f"{side}.jsonl").read_text().splitlines()]


def test_nothing_leaks_in_the_files(many: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    facts = distill(many, Recipe(("sft", "dpo", "rl"), held_out=0.4, likeness=1), out).facts
    assert facts["split"][TRAIN]
    assert facts["split"][TEST]
    train, test = ([r for fmt in ("sft", "dpo", "rl") for r in rows(out, fmt, side)] for side in (TRAIN, TEST))
    assert {r["domain"] for r in train} == set(facts["split"][TRAIN])
    assert {r["domain"] for r in test} == set(facts["split"][TEST])
    for key in ("domain", "world"):
        assert not {r[key] for r in train} & {r[key] for r in test}
    for number in (0, 1):  # the system message, the request
        asked = [{(r.get("prompt") or r["messages"])[number]["content"] for r in side} for side in (train, test)]
        assert asked[0]
        assert not asked[0] & asked[1]


def test_one_world_under_two_names_is_one_family(good: Run, tmp_path: Path) -> None:
    renamed = [changed(e, domain="reading_room") for e in good.episodes()]
    twin = write_run(tmp_path / "twin", renamed, good.openings.values(), "oracle")
    facts = distill([good.folder, twin.folder], Recipe(("rl",)), tmp_path / "out").facts
    assert facts["split"]["families"] == [["reading_room", "town_library"]]
    assert facts["split"][TEST] == []
    other = elsewhere(good, tmp_path / "other", "museum")
    facts = distill([good.folder, twin.folder, other.folder], Recipe(("rl",)), tmp_path / "out").facts
    assert len(facts["split"]["families"]) == 2


def test_one_domain_is_not_split_and_the_card_says_so(good: Run, tmp_path: Path) -> None:
    facts = distill([good.folder], Recipe(("sft",)), tmp_path / "out").facts
    assert facts["split"][TEST] == []
    assert not (tmp_path / "out/sft/test.jsonl").exists()
    assert "Nothing is held out: there is one family" in (tmp_path / "out/README.md").read_text()


def test_words_can_be_held_out_in_one_domain(good: Run, tmp_path: Path) -> None:
    distill([good.folder], Recipe(("sft",), split="words", likeness=1), tmp_path / "out")
    held = {e.task for e in good.episodes() if e.features["held_out"]}
    assert held
    assert {r["task"] for r in rows(tmp_path / "out", "sft", TEST)} == held
    assert not {r["task"] for r in rows(tmp_path / "out", "sft", TRAIN)} & held
