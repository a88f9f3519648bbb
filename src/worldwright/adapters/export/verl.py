"""A gym for verl: a package with its packs, the dataset, an agent loop and its config, and a script that starts it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worldwright.adapters.export.package import Gym, read_gym, write_files
from worldwright.adapters.export.skyrl import keys_note, pyproject
from worldwright.adapters.rows import GYM, PACKAGE, TASK, VARIANT, list_rows
from worldwright.agents.chat import encode
from worldwright.core.version import VERSION

AGENT = "worldwright"


def write(gym: str, out: Path) -> list[Path]:
    """Write the package of a gym into a folder. The files."""
    found = read_gym(gym)
    module = f"worldwright_{found.name}"
    files: dict[str, bytes | str] = {
        "pyproject.toml": pyproject(found, module, [], "[train]"),
        "README.md": _readme(found, module),
        f"{module}/__init__.py": f'"""The gym `{found.name}`, made by Worldwright {VERSION}."""\n',
        f"{module}/agent_loop.py": _loop(found),
        "agent.yaml": f"- name: {AGENT}\n  _target_: {module}.agent_loop.WorldAgentLoop\n",
        "data/train.jsonl": "".join(
            f"{encode(_row(row, at, f'{PACKAGE}{module}'))}\n" for at, row in enumerate(list_rows(gym))
        ),
        "run.sh": _script(),
        **found.archives(f"{module}/packs"),
    }
    return write_files(files, out)


def _row(row: dict[str, Any], at: int, gym: str) -> dict[str, Any]:
    """As verl's RLHFDataset has them. The reward comes from the agent loop: nothing is there to compare with."""
    episode = {GYM: gym, VARIANT: row[VARIANT], TASK: row[TASK], "world": row["world"]}
    return {
        "data_source": AGENT,
        "agent_name": AGENT,
        "prompt": row["prompt"],
        "reward_model": {"style": "rule", "ground_truth": ""},
        "extra_info": {"index": at, "family": row["family"], **episode},
    }


def _loop(gym: Gym) -> str:
    return f'''\
"""The gym `{gym.name}` as an agent loop of verl. Written by `worldwright export --to verl`."""

from uuid import uuid4

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput

from worldwright.train.chat_format import ChatFormat
from worldwright.train.verl_loop import play_episode


class WorldAgentLoop(AgentLoopBase):
    """Plays the episode that a row names. What was generated goes back as it is, token by token."""

    async def run(self, sampling_params, **kwargs):
        rollout, request = self.config.actor_rollout_ref.rollout, uuid4().hex

        async def generate(ids):
            found = await self.server_manager.generate(
                request_id=request, prompt_ids=ids, sampling_params=sampling_params
            )
            return getattr(found, "token_ids", found)

        turns = rollout.multi_turn.max_assistant_turns or 20
        found = await play_episode(
            generate, ChatFormat(self.tokenizer), kwargs["extra_info"], turns, rollout.response_length
        )
        return AgentLoopOutput(
            prompt_ids=found.prompt_ids,
            response_ids=found.response_ids,
            response_mask=found.response_mask,
            reward_score=found.reward,
            num_turns=2 * found.turns + 1,
            metrics=AgentLoopMetrics(),
            extra_fields={{"no_verdict": found.no_verdict}},
        )
'''


def _script() -> str:
    return """\
#!/bin/bash
# GRPO on one node: GPUS, MODEL and further settings may be given (bash run.sh trainer.total_epochs=1).
set -euo pipefail
GPUS=${GPUS:-8}
MODEL=${MODEL:-Qwen/Qwen3-4B-Instruct-2507}
HERE="$(cd "$(dirname "$0")" && pwd)"
exec python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo \\
    algorithm.use_kl_in_reward=False \\
    data.train_files="$HERE/data/train.jsonl" \\
    data.val_files="$HERE/data/train.jsonl" \\
    data.return_raw_chat=True \\
    data.train_batch_size=64 \\
    data.max_prompt_length=24576 \\
    data.max_response_length=8192 \\
    data.truncation=error \\
    actor_rollout_ref.model.path="$MODEL" \\
    actor_rollout_ref.model.use_remove_padding=True \\
    actor_rollout_ref.model.enable_gradient_checkpointing=True \\
    actor_rollout_ref.actor.optim.lr=1e-6 \\
    actor_rollout_ref.actor.use_kl_loss=False \\
    actor_rollout_ref.actor.clip_ratio_low=0.2 \\
    actor_rollout_ref.actor.clip_ratio_high=0.28 \\
    actor_rollout_ref.actor.ppo_mini_batch_size=64 \\
    actor_rollout_ref.actor.use_dynamic_bsz=True \\
    actor_rollout_ref.actor.ppo_max_token_len_per_gpu=32768 \\
    actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.rollout.mode=async \\
    actor_rollout_ref.rollout.n=8 \\
    actor_rollout_ref.rollout.gpu_memory_utilization=0.7 \\
    actor_rollout_ref.rollout.tensor_model_parallel_size=1 \\
    actor_rollout_ref.rollout.multi_turn.enable=True \\
    actor_rollout_ref.rollout.multi_turn.max_assistant_turns=20 \\
    actor_rollout_ref.rollout.agent.agent_loop_config_path="$HERE/agent.yaml" \\
    trainer.logger=console \\
    trainer.val_before_train=False \\
    trainer.n_gpus_per_node="$GPUS" \\
    trainer.nnodes=1 \\
    trainer.total_epochs=20 \\
    "$@"
"""


def _readme(gym: Gym, module: str) -> str:
    return f"""\
# {module.replace("_", "-")}

The gym `{gym.name}` ({sum(gym.tasks.values())} tasks in {len(gym.tasks)} worlds), made by Worldwright {VERSION}, for
[verl](https://github.com/volcengine/verl).

    pip install .               # in verl's environment, on every node
    bash run.sh                 # settings are those of verl: bash run.sh trainer.total_epochs=1

`data/train.jsonl` has a row for every task; `extra_info` says which task of which world it is. `agent.yaml` names the agent
loop (`{module}/agent_loop.py`): it opens the world in the worker's own process, lays conversations down token by token with a
mask on what the model said, and brings the verdict as `reward_score`. Where the world itself failed the mask is all 0, so that
episode moves nothing; its reward of 0 still counts in the mean of its group.

The loop itself (`worldwright.train.verl_loop`) is tested with a small model. Inside verl it was not run, nor was the script, which
follows verl's examples.

{keys_note(module)}"""
