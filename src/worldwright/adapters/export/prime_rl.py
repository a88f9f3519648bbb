"""A gym for prime-rl: the package of verifiers, and a config that trains in it."""

from __future__ import annotations

from pathlib import Path

from worldwright.adapters.export import verifiers
from worldwright.adapters.export.package import read_gym, write_files


def write(gym: str, out: Path) -> list[Path]:
    """prime-rl trains in environments of verifiers, so the package is the same; `rl.toml` is what it is started with."""
    written = verifiers.write(gym, out)
    found = read_gym(gym)
    package = f"worldwright-{found.name}".replace("_", "-")
    readme = (out / "README.md").read_text(encoding="utf-8")
    more = write_files({"rl.toml": _config(package), "README.md": f"{readme}\n{_said(package)}"}, out)
    return sorted({*written, *more})


def _config(package: str) -> str:
    return f"""\
# prime-rl on two GPUs: one learns, one speaks. Sizes are a start; tasks with long handbooks need a longer seq_len.
# uv run rl @ rl.toml

max_steps = 200
seq_len = 32768

[deployment]
num_train_gpus = 1
num_infer_gpus = 1

[model]
name = "Qwen/Qwen3-4B-Instruct-2507"

[trainer.optim]
lr = 1e-6
weight_decay = 0.0

[orchestrator]
batch_size = 256

[orchestrator.train]
group_size = 8

[orchestrator.train.sampling]
max_completion_tokens = 1024

[[orchestrator.train.source]]
name = "{package}"
env.taskset.id = "{package}"
env.agent.harness.id = "{package}"
env.agent.runtime.type = "subprocess"

[ckpt]
interval = 50

[inference.vllm]
tool_call_parser = "hermes"
max_model_len = 32768
"""


def _said(package: str) -> str:
    return f"""\
## Train with prime-rl

    uv pip install .                # in prime-rl's environment
    uv run rl @ rl.toml

`rl.toml` names this package as taskset and harness (`{package}`). It is written after the examples of prime-rl at the time of
this release and was not run: prime-rl renames settings between releases (`orchestrator.train.source` was `orchestrator.train.env`).
"""
