"""A gym for SkyRL.

A package with its packs, the dataset, an entry point that registers the environment, and a script that starts it.
"""

from __future__ import annotations

from pathlib import Path

from worldwright.adapters.export.package import Gym, read_gym, write_files
from worldwright.adapters.rows import GYM, PACKAGE
from worldwright.adapters.text_rows import ENV_CLASS, list_text_rows
from worldwright.agents.chat import encode
from worldwright.core.version import VERSION


def write(gym: str, out: Path) -> list[Path]:
    """Write the package of a gym into a folder. The files."""
    found = read_gym(gym)
    module = f"worldwright_{found.name}"
    rows = [{**row, GYM: f"{PACKAGE}{module}"} for row in list_text_rows(gym)]
    files: dict[str, bytes | str] = {
        "pyproject.toml": pyproject(found, module, ["skyrl-gym>=0.4"]),
        "README.md": _readme(found, module),
        f"{module}/__init__.py": f'"""The gym `{found.name}`, made by Worldwright {VERSION}."""\n',
        f"{module}/main.py": _main(found, module),
        "data/train.jsonl": "".join(f"{encode(row)}\n" for row in rows),
        "run.sh": _script(module),
        **found.archives(f"{module}/packs"),
    }
    return write_files(files, out)


def pyproject(gym: Gym, module: str, needs: list[str], extra: str = "") -> str:
    """What installs the package of a gym beside a trainer."""
    major, minor = VERSION.split(".")[:2]
    wanted = [*needs, f"worldwright{extra}>={VERSION},<{major}.{int(minor) + 1}"]
    return f"""\
[build-system]
requires = ["hatchling>=1.27,<2"]
build-backend = "hatchling.build"

[project]
name = "{module.replace("_", "-")}"
version = "{gym.version}"
description = "The gym {gym.name}, to be trained in."
readme = "README.md"
requires-python = ">=3.11"
dependencies = [{", ".join(f'"{need}"' for need in wanted)}]

# The packs go into the wheel whatever a version control around this folder ignores.
[tool.hatch.build]
ignore-vcs = true

[tool.hatch.build.targets.wheel]
packages = ["{module}"]
"""


def keys_note(module: str) -> str:
    return f"""\
## This package holds the keys

Grading happens where the trainer runs, so the keys of all tasks are in this package (`{module}/packs`). Do not install it
where an agent can run code, and do not publish it where a model learns from what is published. Rows and prompts hold nothing
of the keys.
"""


def _main(gym: Gym, module: str) -> str:
    return f'''\
"""Training in the gym `{gym.name}` with SkyRL: `python -m {module}.main key=value ...`."""

import sys

import ray
from skyrl.train.config import SkyRLTrainConfig
from skyrl.train.entrypoints.main_base import BasePPOExp
from skyrl.train.utils import initialize_ray, validate_cfg
from skyrl_gym.envs import register


@ray.remote(num_cpus=1)
def entrypoint(cfg):
    register(id="{ENV_CLASS}", entry_point="worldwright.adapters.skyrl:WorldTextEnv")
    BasePPOExp(cfg).run()


def main():
    cfg = SkyRLTrainConfig.from_cli_overrides(sys.argv[1:])
    validate_cfg(cfg)
    initialize_ray(cfg)
    ray.get(entrypoint.remote(cfg))


if __name__ == "__main__":
    main()
'''


def _script(module: str) -> str:
    return f"""\
#!/bin/bash
# GRPO on one node: GPUS, MODEL and further settings may be given (bash run.sh trainer.epochs=1).
set -euo pipefail
GPUS=${{GPUS:-4}}
MODEL=${{MODEL:-Qwen/Qwen3-4B-Instruct-2507}}
DATA="$(cd "$(dirname "$0")" && pwd)/data"
exec python -m {module}.main \\
  data.train_data="['$DATA/train.jsonl']" \\
  data.val_data="['$DATA/train.jsonl']" \\
  environment.env_class={ENV_CLASS} \\
  trainer.algorithm.advantage_estimator=grpo \\
  trainer.algorithm.use_kl_loss=false \\
  trainer.policy.model.path="$MODEL" \\
  trainer.policy.optimizer_config.lr=1.0e-6 \\
  trainer.placement.colocate_all=true \\
  trainer.strategy=fsdp \\
  trainer.placement.policy_num_gpus_per_node="$GPUS" \\
  trainer.placement.ref_num_gpus_per_node="$GPUS" \\
  trainer.epochs=20 \\
  trainer.train_batch_size=64 \\
  trainer.policy_mini_batch_size=64 \\
  trainer.micro_forward_batch_size_per_gpu=4 \\
  trainer.micro_train_batch_size_per_gpu=1 \\
  trainer.max_prompt_length=24576 \\
  trainer.eval.before_train=false \\
  trainer.logger=console \\
  generator.inference_engine.backend=vllm \\
  generator.inference_engine.run_engines_locally=true \\
  generator.inference_engine.num_engines="$GPUS" \\
  generator.inference_engine.tensor_parallel_size=1 \\
  generator.batched=false \\
  generator.max_turns=20 \\
  generator.max_input_length=30720 \\
  generator.sampling_params.max_generate_length=1024 \\
  generator.n_samples_per_prompt=8 \\
  "$@"
"""


def _readme(gym: Gym, module: str) -> str:
    return f"""\
# {module.replace("_", "-")}

The gym `{gym.name}` ({sum(gym.tasks.values())} tasks in {len(gym.tasks)} worlds), made by Worldwright {VERSION}, for
[SkyRL](https://github.com/NovaSky-AI/SkyRL).

    uv pip install .            # in SkyRL's environment
    bash run.sh                 # settings are those of SkyRL: bash run.sh trainer.epochs=1

`data/train.jsonl` has a row for every task: `prompt` (with the tools in the system message), `env_class`, and which task of
which world it is. `{module}/main.py` registers the environment `{ENV_CLASS}` and starts the trainer. An episode ends with the
tool that submits; the reward of its last step is the verdict, 1 or 0. Where the world itself failed, the reward is 0 and the
metadata say `no_verdict`.

The environment was run with `skyrl_gym` 0.4. The training script follows SkyRL's examples and was not run.

{keys_note(module)}"""
