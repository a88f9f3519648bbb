"""The engine of our own: what it plays is judged by real verifiers, what it learns is what was said, and it learns."""

from __future__ import annotations

import math
from copy import deepcopy
from pathlib import Path
from shutil import which
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.train import pupils
from tests.train.conftest import small_qwen3
from tests.train.pupils import Schooled

from worldwright.core.errors import UsageError
from worldwright.rollout.episode import RunningEpisode
from worldwright.train.demonstrations import demonstrations, gold_walks
from worldwright.train.evaluate import evaluate
from worldwright.train.grouped import grouped_attention
from worldwright.train.learn import advantages, clipped_loss, micro_batches, score, taught
from worldwright.train.plain_engine import PlainEngine, scheduled
from worldwright.train.rollouts import Place
from worldwright.train.speak import FEW
from worldwright.train.talk import Line


@pytest.fixture
def fresh(gym_folder: Path, pupil_words: Any) -> PlainEngine:
    return pupils.pupil(pupils.settings(gym_folder), pupil_words)


@pytest.fixture
def clever(gym_folder: Path, pupil_words: Any, schooled: Schooled) -> PlainEngine:
    engine = pupils.pupil(pupils.settings(gym_folder), pupil_words)
    engine.model.load_state_dict(schooled.weights)
    return engine


# playing


def test_the_chances_of_what_was_drawn_are_those_that_the_model_gives_it(
    fresh: PlainEngine, places: list[Place]
) -> None:
    """Conversations of different lengths, fed turn by turn from a kept cache, against one pass over the whole of each. They are so
    many that those who have not ended their turn go on among themselves."""
    played = fresh.play([places[0], places[0], *places[1:4] * (2 * FEW)], 7)
    assert len({len(one.line.ids) for one in played.rolled}) > 2
    for one in played.rolled:
        found = score(fresh.model, [one.line]).chances
        assert len(one.chances) == one.line.spoken == len(found)
        assert torch.allclose(found, torch.tensor(one.chances), atol=1e-4)


def test_a_speaker_in_bf16_says_nearly_the_same_and_follows_what_is_learned(
    gym_folder: Path, pupil_words: Any, places: list[Place], schooled: Schooled
) -> None:
    engine = pupils.pupil(pupils.settings(gym_folder, precision="bf16", grpo={"rate": 1e-3, "kl": 0.1}), pupil_words)
    engine.model.load_state_dict(schooled.weights)
    engine.begin("grpo")
    for step in range(2):
        found, _ = engine.grpo_step(step, [schooled.place, *places[:1]])
        assert 0 < found["sampler_gap"] < 0.1
    assert next(engine.speaker.parameters()).dtype == torch.bfloat16
    kept = dict(engine.model.named_parameters())
    assert all(torch.equal(one, kept[name].bfloat16()) for name, one in engine.speaker.named_parameters())


def test_what_a_copy_in_bf16_learns_is_gathered_in_fp32(
    gym_folder: Path, pupil_words: Any, places: list[Place]
) -> None:
    found = []
    for precision in ("fp32", "bf16"):
        engine = pupils.pupil(pupils.settings(gym_folder, precision=precision), pupil_words)
        engine.begin("sft")
        taught(engine.speaker.train(), demonstrations(engine.talk, gold_walks(places[:4]), 1_500).lines, 64)
        assert all(p.grad.dtype == torch.float32 for p in engine.model.parameters())
        assert precision == "fp32" or all(p.grad is None for p in engine.speaker.parameters())
        found.append(torch.cat([p.grad.flatten() for p in engine.model.parameters()]))
    assert torch.cosine_similarity(*found, dim=0) > 0.99


def test_heads_that_share_keys_give_what_copies_of_them_give() -> None:
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 6, 1, 8), torch.randn(3, 2, 5, 8), torch.randn(3, 2, 5, 8)
    mask = torch.arange(5)[None, None, None, :] <= torch.tensor([4, 0, 2])[:, None, None, None]
    found, _ = grouped_attention(None, query, key, value, mask)
    copies = (key.repeat_interleave(3, 1), value.repeat_interleave(3, 1))
    wanted = torch.nn.functional.scaled_dot_product_attention(query, *copies, attn_mask=mask)
    assert torch.allclose(found, wanted.transpose(1, 2), atol=1e-6)


def test_the_same_seed_plays_the_same_and_another_does_not(fresh: PlainEngine, places: list[Place]) -> None:
    one, same, other = (fresh.play(places[:2], seed).rolled for seed in (1, 1, 2))
    assert [r.line for r in one] == [r.line for r in same] != [r.line for r in other]


def test_threads_and_waves_change_nothing_but_the_time(gym_folder: Path, pupil_words: Any, places: list[Place]) -> None:
    """Nor does it whether an episode is opened like another at the same place: in waves of one each is opened alone."""
    some = places[:4] * 3
    alone = pupils.pupil(pupils.settings(gym_folder), pupil_words).play(some, 3, 0.0)
    threads = pupils.pupil(pupils.settings(gym_folder, rollout={"workers": 3}), pupil_words).play(some, 3, 0.0)
    waves = pupils.pupil(pupils.settings(gym_folder, rollout={"width": 1}), pupil_words).play(some, 3, 0.0)
    assert [r.line for r in alone.rolled] == [r.line for r in threads.rolled] == [r.line for r in waves.rolled]
    assert [r.episode.attempt for r in threads.rolled] == [1] * 4 + [2] * 4 + [3] * 4
    told = [[r.episode.messages for r in played.rolled] for played in (alone, threads, waves)]
    assert told[0] == told[1] == told[2]


def test_those_who_go_on_among_themselves_say_what_they_would_have_said(
    fresh: PlainEngine, places: list[Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    some = places[:4] * 4
    apart = fresh.play(some, 3, 0.0)
    monkeypatch.setattr("worldwright.train.speak.FEW", 10**9)
    together = fresh.play(some, 3, 0.0)
    assert [r.line for r in apart.rolled] == [r.line for r in together.rolled]


def test_those_who_find_no_end_say_what_they_would_have_said_if_all_had_waited(
    clever: PlainEngine, schooled: Schooled, places: list[Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    some = [schooled.place, *places[:4]] * 2
    together = clever.play(some, 3, 0.0)
    assert len({r.line.spoken // r.turns for r in together.rolled}) > 1
    monkeypatch.setattr("worldwright.train.speak.MANY", 2)
    monkeypatch.setattr("worldwright.train.speak.LATE", 2)
    apart = clever.play(some, 3, 0.0)
    assert [r.line for r in apart.rolled] == [r.line for r in together.rolled]


def test_rewards_are_the_verdicts_of_the_worlds_own_verifiers(clever: PlainEngine, schooled: Schooled) -> None:
    place = schooled.place
    played = clever.play([place] * 24, 5)
    rewards = [one.reward for one in played.rolled]
    assert 0 < sum(r or 0 for r in rewards) < len(rewards)
    for one in played.rolled:
        with place.world.open(place.task) as again:
            for step in one.episode.steps:
                again.call(step["tool"], step["arguments"])
            if one.episode.submitted:
                again.call(again.submit, one.episode.answer)
            assert again.verify().reward == one.reward
    found = evaluate(clever.play, [place], temperature=0.0)
    assert found.solved == 1.0
    assert found.data()["by_world"]["town_library"]["passed"] == 1
    assert 0 < found.in_worlds < found.seconds


def test_an_episode_that_leaves_no_room_ends_at_a_limit(
    gym_folder: Path, pupil_words: Any, places: list[Place]
) -> None:
    engine = pupils.pupil(pupils.settings(gym_folder, rollout={"context": 64}), pupil_words)
    [one] = engine.play(places[:1], 0).rolled
    assert (one.episode.outcome, one.reward, one.line.spoken) == ("output", 0.0, 0)


# learning


def test_two_steps_of_each(gym_folder: Path, pupil_words: Any, schooled: Schooled, places: list[Place]) -> None:
    clever, place = pupils.pupil(pupils.settings(gym_folder, grpo={"group": 16}), pupil_words), schooled.place
    clever.begin("sft")
    lines = demonstrations(clever.talk, gold_walks([place]), 1_500).lines
    assert all(math.isfinite(clever.sft_step(step, lines)["loss"]) for step in range(2))
    clever.model.load_state_dict(schooled.weights)
    clever.begin("grpo")
    before = [p.detach().clone() for p in clever.model.parameters()]
    for step in range(2):
        found, played = clever.grpo_step(step, [place, places[-1]])
        assert len(played.rolled) == 32
        assert all(map(math.isfinite, found.values()))
        assert found["sampler_gap"] < 1e-3
        assert 0 < found["reward"] < 1
        assert found["grad_norm"] > 0
    assert any(not a.equal(b) for a, b in zip(before, clever.model.parameters(), strict=True))


def test_where_nobody_differs_nothing_moves_and_the_figures_say_so(fresh: PlainEngine, places: list[Place]) -> None:
    fresh.begin("grpo")
    before = [p.detach().clone() for p in fresh.model.parameters()]
    found, _ = fresh.grpo_step(0, places[:2])
    assert (found["all_0"], found["variance"], found["learned"], found["grad_norm"]) == (1.0, 0.0, 0.0, 0.0)
    assert found["entropy"] > 1
    assert all(a.equal(b) for a, b in zip(before, fresh.model.parameters(), strict=True))


def test_what_did_better_than_its_group_becomes_likelier_than_what_did_worse(
    gym_folder: Path, pupil_words: Any, schooled: Schooled
) -> None:
    engine = pupils.pupil(pupils.settings(gym_folder, grpo={"rate": 1e-5, "group": 16}), pupil_words)
    engine.model.load_state_dict(schooled.weights)
    engine.begin("grpo")
    _, played = engine.grpo_step(0, [schooled.place])
    gains = advantages([one.reward for one in played.rolled], [0] * 16)
    assert any(gains)
    before = sum(gain * sum(one.chances) for gain, one in zip(gains, played.rolled, strict=True))
    after = [score(engine.model, [one.line]).chances.sum().item() for one in played.rolled]
    assert sum(gain * chance for gain, chance in zip(gains, after, strict=True)) > before


@pytest.mark.parametrize("more", [{"updates": 2}, {"kl": 0.1}, {"by_deviation": False}])
def test_other_ways_to_learn_are_finite_too(
    gym_folder: Path, pupil_words: Any, schooled: Schooled, more: dict[str, Any]
) -> None:
    engine = pupils.pupil(pupils.settings(gym_folder, grpo=more), pupil_words)
    engine.model.load_state_dict(schooled.weights)
    engine.begin("grpo")
    for step in range(2):
        found, _ = engine.grpo_step(step, [schooled.place])
        assert all(map(math.isfinite, found.values()))
        assert found["kl"] >= 0


def test_adapters_learn_and_the_rest_stays(
    gym_folder: Path, pupil_words: Any, schooled: Schooled, tmp_path: Path
) -> None:
    pytest.importorskip("peft")
    from transformers import AutoModelForCausalLM

    base = small_qwen3(pupil_words)
    base.load_state_dict(schooled.weights)
    kept = deepcopy(base.state_dict())
    engine = PlainEngine(pupils.settings(gym_folder, lora=4, grpo={"kl": 0.1, "rate": 1e-2}), base, pupil_words)
    engine.begin("grpo")
    found, _ = engine.grpo_step(0, [schooled.place] * 2)
    assert found["grad_norm"] > 0
    frozen = {name: p for name, p in engine.model.named_parameters() if "lora" not in name}
    assert all(not p.requires_grad for p in frozen.values())
    engine.write_model(tmp_path / "merged")
    merged = AutoModelForCausalLM.from_pretrained(tmp_path / "merged").state_dict()
    name = "model.layers.0.self_attn.q_proj.weight"
    assert not torch.equal(merged[name], kept[name])
    assert torch.equal(merged["model.embed_tokens.weight"], kept["model.embed_tokens.weight"])


@pytest.fixture
def unlucky(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every second episode loses its database when it has begun, and calls a tool."""
    count = [0]
    begin = RunningEpisode.__init__

    def begun(self: RunningEpisode, env: Any, *more: Any) -> None:
        begin(self, env, *more)
        count[0] += 1
        if count[0] % 2:
            env._session._conn.close()
            env.call_tool("get_member", {"member": "MEM-0001"})

    monkeypatch.setattr(RunningEpisode, "__init__", begun)


def test_an_episode_that_the_world_lost_moves_nothing(clever: PlainEngine, schooled: Schooled, unlucky: None) -> None:
    clever.begin("grpo")
    found, played = clever.grpo_step(0, [schooled.place] * 2)
    assert [one.reward is None for one in played.rolled] == [True, False] * 4
    assert found["no_verdict"] == 4
    assert found["learned"] <= 4
    assert {one.episode.status for one in played.rolled if one.reward is None} == {"error"}


REWARDS = st.lists(st.sampled_from([0.0, 1.0, None]), min_size=1, max_size=12)


@given(REWARDS, st.integers(1, 3), st.booleans())
def test_advantages_are_even_within_a_group_and_errors_count_for_nothing(
    rewards: list[float | None], groups: int, by_deviation: bool
) -> None:
    numbers = [at % groups for at in range(len(rewards))]
    gains = advantages(rewards, numbers, by_deviation)
    for group in range(groups):
        mine = [(g, r) for g, r, n in zip(gains, rewards, numbers, strict=True) if n == group]
        assert sum(g for g, _ in mine) == pytest.approx(0, abs=1e-6)
        assert all(g == 0 for g, r in mine if r is None)
        known = {r for _, r in mine if r is not None}
        assert len(known) > 1 or all(g == 0 for g, _ in mine)
    without = [(r, n) for r, n in zip(rewards, numbers, strict=True) if r is not None]
    alone = advantages([r for r, _ in without], [n for _, n in without], by_deviation)
    assert alone == [g for g, r in zip(gains, rewards, strict=True) if r is not None]


@given(st.lists(st.integers(1, 50), min_size=1, max_size=20), st.integers(1, 120))
def test_micro_batches_hold_every_line_once_and_keep_within_their_tokens(lengths: list[int], tokens: int) -> None:
    lines = [Line([0] * n, [1] * n) for n in lengths]
    parts = micro_batches(lines, tokens)
    assert sorted(at for part in parts for at in part) == list(range(len(lines)))
    assert all(len(part) == 1 or len(part) * max(lengths[at] for at in part) <= tokens for part in parts)


def test_padding_changes_no_gradient(fresh: PlainEngine) -> None:
    lines = [Line(list(range(10, 10 + n)), [0, 0, *[1] * (n - 2)]) for n in (4, 9, 17)]
    together = score(fresh.model, lines).chances
    apart = torch.cat([score(fresh.model, [line]).chances for line in lines])
    assert torch.allclose(together, apart, atol=1e-5)


@pytest.mark.skipif(not which("g++"), reason="there is no C++ compiler here")
def test_layers_that_are_compiled_learn_the_same(gym_folder: Path, pupil_words: Any, places: list[Place]) -> None:
    found = []
    for wanted in (False, True):
        engine = pupils.pupil(pupils.settings(gym_folder, compiled=wanted), pupil_words)
        engine.begin("sft")
        lines = demonstrations(engine.talk, gold_walks(places[:5]), 1_500).lines
        losses = [engine.sft_step(step, some)["loss"] for step, some in enumerate((lines[:2], lines[2:5]))]
        with torch.no_grad():
            found.append((torch.tensor(losses), score(engine.speaker, lines).chances))
    for one, other in zip(*found, strict=True):
        assert torch.allclose(one, other, atol=1e-3)


def test_the_ratio_is_clipped_on_the_side_that_it_runs_away_to() -> None:
    old = torch.zeros(4)
    now = torch.tensor([1.0, -1.0, 1.0, -1.0], requires_grad=True)
    gain = torch.tensor([1.0, 1.0, -1.0, -1.0])
    found = clipped_loss(now, old, gain, 0.2, 0.28)
    found.loss.backward()
    assert found.clipped == 2
    assert [bool(g) for g in now.grad] == [False, True, True, False]


def test_the_rate_rises_and_falls() -> None:
    rates = [scheduled(1.0, step, 20, 4, True) for step in range(20)]
    assert rates[:5] == sorted(rates[:5])
    assert rates[4:] == sorted(rates[4:], reverse=True)
    assert max(rates) == 1.0
    assert rates[-1] > 0.1
    assert scheduled(1.0, 9, 20, 4, False) == 1.0


def test_a_model_whose_layers_do_not_keep_everything_is_refused(gym_folder: Path, pupil_words: Any) -> None:
    model = small_qwen3(pupil_words)
    model.config.layer_types = ["full_attention", "sliding_attention"]
    with pytest.raises(UsageError, match="sliding_attention: take --engine trl"):
        PlainEngine(pupils.settings(gym_folder), model, pupil_words)
