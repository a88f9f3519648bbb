"""The training engine: rewards are verdicts of real verifiers, gradients are on response tokens, and the model learns."""

from __future__ import annotations

import math
from copy import deepcopy
from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.train import small_models
from tests.train.conftest import small_qwen3
from tests.train.small_models import SHORT_TURNS, TrainedWeights

from worldwright.core.errors import UsageError
from worldwright.rollout.episode import RunningEpisode
from worldwright.train.batch_decoder import BatchDecoder, compute_grouped_attention
from worldwright.train.batch_generator import MIN_ROWS_TO_REPACK
from worldwright.train.chat_format import TokenizedEpisode
from worldwright.train.demonstrations import play_gold_walks, tokenize_demonstrations
from worldwright.train.engine import TrainingEngine, compute_learning_rate
from worldwright.train.evaluate import evaluate
from worldwright.train.losses import (
    backward_sft_loss,
    compute_advantages,
    compute_grpo_loss,
    compute_logprobs,
    split_micro_batches,
)
from worldwright.train.rollouts import WorldTask


@pytest.fixture
def engine(gym_folder: Path, plain_tokenizer: Any) -> TrainingEngine:
    """A model with random weights, which never ends a turn itself: short turns."""
    settings = small_models.make_settings(gym_folder, rollout=SHORT_TURNS)
    return small_models.make_engine(settings, plain_tokenizer)


@pytest.fixture
def trained_engine(gym_folder: Path, plain_tokenizer: Any, trained: TrainedWeights) -> TrainingEngine:
    engine = small_models.make_engine(small_models.make_settings(gym_folder), plain_tokenizer)
    engine.model.load_state_dict(trained.weights)
    return engine


# playing


def test_sampled_logprobs_are_those_of_the_model(engine: TrainingEngine, tasks: list[WorldTask]) -> None:
    """Conversations of different lengths, generated turn by turn with a KV cache, against one forward pass over each. There are so
    many that the batch is repacked."""
    played = engine.play([tasks[0], tasks[0], *tasks[1:4] * (2 * MIN_ROWS_TO_REPACK)], 7)
    assert len({len(one.tokens.token_ids) for one in played.rollouts}) > 2
    for one in played.rollouts:
        found = compute_logprobs(engine.model, [one.tokens]).logprobs
        assert len(one.logprobs) == one.tokens.num_response_tokens == len(found)
        assert torch.allclose(found, torch.tensor(one.logprobs), atol=1e-4)


def test_a_policy_in_bf16_generates_nearly_the_same_and_follows_the_weights(
    gym_folder: Path, plain_tokenizer: Any, trained: TrainedWeights
) -> None:
    engine = small_models.make_engine(
        small_models.make_settings(gym_folder, precision="bf16", grpo={"learning_rate": 1e-3, "beta": 0.1}),
        plain_tokenizer,
    )
    engine.model.load_state_dict(trained.weights)
    engine.start_stage("grpo")
    for step in range(2):
        found, _ = engine.grpo_step(step, [trained.task])
        assert 0 < found["sampling_logprob_diff"] < 0.1
    assert next(engine.policy_model.parameters()).dtype == torch.bfloat16
    kept = dict(engine.model.named_parameters())
    assert all(torch.equal(one, kept[name].bfloat16()) for name, one in engine.policy_model.named_parameters())


def test_gradients_of_a_policy_in_bf16_are_accumulated_in_fp32(
    gym_folder: Path, plain_tokenizer: Any, tasks: list[WorldTask]
) -> None:
    found = []
    for precision in ("fp32", "bf16"):
        engine = small_models.make_engine(small_models.make_settings(gym_folder, precision=precision), plain_tokenizer)
        engine.start_stage("sft")
        backward_sft_loss(
            engine.policy_model.train(),
            tokenize_demonstrations(engine.chat_format, play_gold_walks(tasks[:4]), 1_500).episodes,
            64,
        )
        assert all(p.grad.dtype == torch.float32 for p in engine.model.parameters())
        assert precision == "fp32" or all(p.grad is None for p in engine.policy_model.parameters())
        found.append(torch.cat([p.grad.flatten() for p in engine.model.parameters()]))
    assert torch.cosine_similarity(*found, dim=0) > 0.99


def test_heads_that_share_keys_give_what_copies_of_them_give() -> None:
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 6, 1, 8), torch.randn(3, 2, 5, 8), torch.randn(3, 2, 5, 8)
    mask = torch.arange(5)[None, None, None, :] <= torch.tensor([4, 0, 2])[:, None, None, None]
    found, _ = compute_grouped_attention(None, query, key, value, mask)
    copies = (key.repeat_interleave(3, 1), value.repeat_interleave(3, 1))
    wanted = torch.nn.functional.scaled_dot_product_attention(query, *copies, attn_mask=mask)
    assert torch.allclose(found, wanted.transpose(1, 2), atol=1e-6)


def test_the_same_seed_plays_the_same_and_another_does_not(engine: TrainingEngine, tasks: list[WorldTask]) -> None:
    one, same, other = (engine.play(tasks[:2], seed).rollouts for seed in (1, 1, 2))
    assert [r.tokens for r in one] == [r.tokens for r in same] != [r.tokens for r in other]


def test_threads_and_batch_size_change_nothing_but_the_time(
    gym_folder: Path, plain_tokenizer: Any, tasks: list[WorldTask]
) -> None:
    """Nor does it whether an episode shares the prompt of another of its task: in batches of one each is opened alone."""
    some = tasks[:4] * 3
    ways: tuple[dict[str, int], ...] = ({}, {"workers": 3}, {"num_parallel_envs": 1})
    settings = [small_models.make_settings(gym_folder, rollout={**SHORT_TURNS, **way}) for way in ways]
    alone, threads, batches = (small_models.make_engine(one, plain_tokenizer).play(some, 3, 0.0) for one in settings)
    assert (
        [r.tokens for r in alone.rollouts]
        == [r.tokens for r in threads.rollouts]
        == [r.tokens for r in batches.rollouts]
    )
    assert [r.episode.attempt for r in threads.rollouts] == [1] * 4 + [2] * 4 + [3] * 4
    told = [[r.episode.messages for r in played.rollouts] for played in (alone, threads, batches)]
    assert told[0] == told[1] == told[2]


def test_repacking_a_batch_changes_no_token(
    trained_engine: TrainingEngine, trained: TrainedWeights, tasks: list[WorldTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    some = [tasks[-1], trained.task] * 5
    with monkeypatch.context() as patch:
        patch.setattr("worldwright.train.batch_generator.MIN_ROWS_TO_REPACK", 10**9)
        together = trained_engine.play(some, 3, 0.0)
    swaps = []
    swap = BatchDecoder.swap_rows

    def count_swap(*given: Any) -> None:
        swaps.append(given)
        swap(*given)

    monkeypatch.setattr(BatchDecoder, "swap_rows", count_swap)
    apart = trained_engine.play(some, 3, 0.0)
    assert swaps
    assert [r.tokens for r in apart.rollouts] == [r.tokens for r in together.rollouts]


def test_leaving_stragglers_behind_changes_no_token(
    trained_engine: TrainingEngine, trained: TrainedWeights, tasks: list[WorldTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    some = [trained.task, *tasks[:4]] * 2
    together = trained_engine.play(some, 3, 0.0)
    assert len({r.tokens.num_response_tokens // r.turns for r in together.rollouts}) > 1
    monkeypatch.setattr("worldwright.train.batch_generator.MIN_ROWS_FOR_STRAGGLERS", 2)
    monkeypatch.setattr("worldwright.train.batch_generator.STRAGGLER_DIVISOR", 2)
    apart = trained_engine.play(some, 3, 0.0)
    assert [r.tokens for r in apart.rollouts] == [r.tokens for r in together.rollouts]


def test_rewards_are_the_verdicts_of_the_worlds_own_verifiers(
    trained_engine: TrainingEngine, trained: TrainedWeights
) -> None:
    task = trained.task
    played = trained_engine.play([task] * 24, 5)
    rewards = [one.reward for one in played.rollouts]
    assert 0 < sum(r or 0 for r in rewards) < len(rewards)
    for one in played.rollouts:
        with task.world.open(task.task_id) as again:
            for step in one.episode.steps:
                again.call(step["tool"], step["arguments"])
            if one.episode.submitted:
                again.call(again.submit, one.episode.answer)
            assert again.verify().reward == one.reward
    found = evaluate(trained_engine.play, [task], temperature=0.0)
    assert found.solved == 1.0
    assert found.data()["by_world"]["town_library"]["passed"] == 1
    assert 0 < found.world_seconds < found.seconds


def test_an_episode_that_leaves_no_room_ends_at_a_limit(
    gym_folder: Path, plain_tokenizer: Any, tasks: list[WorldTask]
) -> None:
    engine = small_models.make_engine(
        small_models.make_settings(gym_folder, rollout={"max_context_tokens": 64}), plain_tokenizer
    )
    [one] = engine.play(tasks[:1], 0).rollouts
    assert (one.episode.outcome, one.reward, one.tokens.num_response_tokens) == ("output", 0.0, 0)


# learning


def test_two_steps_of_each(
    gym_folder: Path, plain_tokenizer: Any, trained: TrainedWeights, tasks: list[WorldTask]
) -> None:
    small_step = {"num_generations": 16, "learning_rate": 1e-5}  # a large one may ruin so small a model at once
    trained_engine, task = (
        small_models.make_engine(small_models.make_settings(gym_folder, grpo=small_step), plain_tokenizer),
        trained.task,
    )
    trained_engine.start_stage("sft")
    episodes = tokenize_demonstrations(trained_engine.chat_format, play_gold_walks([task]), 1_500).episodes
    assert all(math.isfinite(trained_engine.sft_step(step, episodes)["loss"]) for step in range(2))
    trained_engine.model.load_state_dict(trained.weights)
    trained_engine.start_stage("grpo")
    before = [p.detach().clone() for p in trained_engine.model.parameters()]
    for step in range(2):
        found, played = trained_engine.grpo_step(step, [task, tasks[-1]])
        assert len(played.rollouts) == 32
        assert all(map(math.isfinite, found.values()))
        assert found["sampling_logprob_diff"] < 1e-3
        assert 0 < found["reward"] < 1
        assert found["grad_norm"] > 0
    assert any(not a.equal(b) for a, b in zip(before, trained_engine.model.parameters(), strict=True))


def test_groups_of_equal_rewards_change_no_weight(engine: TrainingEngine, tasks: list[WorldTask]) -> None:
    engine.start_stage("grpo")
    before = [p.detach().clone() for p in engine.model.parameters()]
    found, _ = engine.grpo_step(0, tasks[:2])
    assert (found["all_0"], found["reward_variance"], found["trained_episodes"], found["grad_norm"]) == (
        1.0,
        0.0,
        0.0,
        0.0,
    )
    assert found["entropy"] > 1
    assert all(a.equal(b) for a, b in zip(before, engine.model.parameters(), strict=True))


def test_what_did_better_than_its_group_becomes_likelier_than_what_did_worse(
    gym_folder: Path, plain_tokenizer: Any, trained: TrainedWeights
) -> None:
    engine = small_models.make_engine(
        small_models.make_settings(gym_folder, grpo={"learning_rate": 1e-5, "num_generations": 16}), plain_tokenizer
    )
    engine.model.load_state_dict(trained.weights)
    engine.start_stage("grpo")
    _, played = engine.grpo_step(0, [trained.task])
    advantages = compute_advantages([one.reward for one in played.rollouts], [0] * 16)
    assert any(advantages)
    before = sum(advantage * sum(one.logprobs) for advantage, one in zip(advantages, played.rollouts, strict=True))
    after = [compute_logprobs(engine.model, [one.tokens]).logprobs.sum().item() for one in played.rollouts]
    assert sum(advantage * logprob for advantage, logprob in zip(advantages, after, strict=True)) > before


@pytest.mark.parametrize("more", [{"updates_per_step": 2}, {"beta": 0.1}, {"scale_rewards": False}])
def test_other_ways_to_learn_are_finite_too(
    gym_folder: Path, plain_tokenizer: Any, trained: TrainedWeights, more: dict[str, Any]
) -> None:
    engine = small_models.make_engine(small_models.make_settings(gym_folder, grpo=more), plain_tokenizer)
    engine.model.load_state_dict(trained.weights)
    engine.start_stage("grpo")
    for step in range(2):
        found, _ = engine.grpo_step(step, [trained.task])
        assert all(map(math.isfinite, found.values()))
        assert found["kl"] >= 0


def test_adapters_learn_and_the_rest_stays(
    gym_folder: Path, plain_tokenizer: Any, trained: TrainedWeights, tmp_path: Path
) -> None:
    pytest.importorskip("peft")
    from transformers import AutoModelForCausalLM

    base = small_qwen3(plain_tokenizer)
    base.load_state_dict(trained.weights)
    kept = deepcopy(base.state_dict())
    engine = TrainingEngine(
        small_models.make_settings(gym_folder, lora=4, grpo={"beta": 0.1, "learning_rate": 1e-2}), base, plain_tokenizer
    )
    engine.start_stage("grpo")
    found, _ = engine.grpo_step(0, [trained.task] * 2)
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


def test_an_episode_without_a_verdict_has_no_gradient(
    trained_engine: TrainingEngine, trained: TrainedWeights, unlucky: None
) -> None:
    trained_engine.start_stage("grpo")
    found, played = trained_engine.grpo_step(0, [trained.task] * 2)
    assert [one.reward is None for one in played.rollouts] == [True, False] * 4
    assert found["no_verdict"] == 4
    assert found["trained_episodes"] <= 4
    assert {one.episode.status for one in played.rollouts if one.reward is None} == {"error"}


REWARDS = st.lists(st.sampled_from([0.0, 1.0, None]), min_size=1, max_size=12)


@given(REWARDS, st.integers(1, 3), st.booleans())
def test_advantages_are_even_within_a_group_and_errors_count_for_nothing(
    rewards: list[float | None], groups: int, scale_rewards: bool
) -> None:
    numbers = [at % groups for at in range(len(rewards))]
    advantages = compute_advantages(rewards, numbers, scale_rewards)
    for group in range(groups):
        mine = [(g, r) for g, r, n in zip(advantages, rewards, numbers, strict=True) if n == group]
        assert sum(g for g, _ in mine) == pytest.approx(0, abs=1e-6)
        assert all(g == 0 for g, r in mine if r is None)
        known = {r for _, r in mine if r is not None}
        assert len(known) > 1 or all(g == 0 for g, _ in mine)
    without = [(r, n) for r, n in zip(rewards, numbers, strict=True) if r is not None]
    alone = compute_advantages([r for r, _ in without], [n for _, n in without], scale_rewards)
    assert alone == [g for g, r in zip(advantages, rewards, strict=True) if r is not None]


@given(st.lists(st.integers(1, 50), min_size=1, max_size=20), st.integers(1, 120))
def test_micro_batches_hold_every_episode_once_and_keep_within_their_tokens(lengths: list[int], tokens: int) -> None:
    episodes = [TokenizedEpisode([0] * n, [1] * n) for n in lengths]
    parts = split_micro_batches(episodes, tokens)
    assert sorted(at for part in parts for at in part) == list(range(len(episodes)))
    assert all(len(part) == 1 or len(part) * max(lengths[at] for at in part) <= tokens for part in parts)


def test_padding_changes_no_gradient(engine: TrainingEngine) -> None:
    episodes = [TokenizedEpisode(list(range(10, 10 + n)), [0, 0, *[1] * (n - 2)]) for n in (4, 9, 17)]
    together = compute_logprobs(engine.model, episodes).logprobs
    apart = torch.cat([compute_logprobs(engine.model, [one]).logprobs for one in episodes])
    assert torch.allclose(together, apart, atol=1e-5)


def test_layers_that_are_compiled_learn_the_same(
    gym_folder: Path, plain_tokenizer: Any, tasks: list[WorldTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Traced and differentiated as ever, but run without generating C++, which takes minutes."""
    monkeypatch.setattr(torch.nn.Module, "compile", partialmethod(torch.nn.Module.compile, backend="aot_eager"))
    found = []
    for wanted in (False, True):
        engine = small_models.make_engine(small_models.make_settings(gym_folder, torch_compile=wanted), plain_tokenizer)
        engine.start_stage("sft")
        episodes = tokenize_demonstrations(engine.chat_format, play_gold_walks(tasks[:5]), 1_500).episodes
        losses = [engine.sft_step(step, some)["loss"] for step, some in enumerate((episodes[:2], episodes[2:5]))]
        with torch.no_grad():
            found.append((torch.tensor(losses), compute_logprobs(engine.policy_model, episodes).logprobs))
    for one, other in zip(*found, strict=True):
        assert torch.allclose(one, other, atol=1e-3)


def test_the_ratio_is_clipped_on_the_side_that_it_runs_away_to() -> None:
    old = torch.zeros(4)
    now = torch.tensor([1.0, -1.0, 1.0, -1.0], requires_grad=True)
    advantage = torch.tensor([1.0, 1.0, -1.0, -1.0])
    found = compute_grpo_loss(now, old, advantage, 0.2, 0.28)
    found.loss.backward()
    assert found.clipped == 2
    assert [bool(g) for g in now.grad] == [False, True, True, False]


def test_the_learning_rate_rises_and_falls() -> None:
    rates = [compute_learning_rate(1.0, step, 20, 4, True) for step in range(20)]
    assert rates[:5] == sorted(rates[:5])
    assert rates[4:] == sorted(rates[4:], reverse=True)
    assert max(rates) == 1.0
    assert rates[-1] > 0.1
    assert compute_learning_rate(1.0, 9, 20, 4, False) == 1.0


def test_a_model_whose_layers_do_not_keep_everything_is_refused(gym_folder: Path, plain_tokenizer: Any) -> None:
    model = small_qwen3(plain_tokenizer)
    model.config.layer_types = ["full_attention", "sliding_attention"]
    with pytest.raises(UsageError, match="sliding_attention: train it with TRL"):
        TrainingEngine(small_models.make_settings(gym_folder), model, plain_tokenizer)
