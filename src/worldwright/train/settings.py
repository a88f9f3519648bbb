"""All settings of a training run, stored as `run.yaml`. The same file, packs and model give the same run.

Names are those of TRL and verl where they have one for the same thing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.core.whole_file import write_whole
from worldwright.engine.surface import SURFACES
from worldwright.formats.strict_yaml import YamlError, dump_yaml, read_yaml
from worldwright.train import CHAT_STYLES

RUN_FILE = "run.yaml"


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ChatFormatSettings(_Section):
    """How conversations are written as text."""

    style: str = Field("auto", pattern=f"^({'|'.join(CHAT_STYLES)})$")
    """`native`: the model's own chat template; `plain` and `compact`: templates of ours; `auto`: native if possible, else plain."""
    max_handbook_tokens: int = Field(0, ge=0)
    """Tokens of the handbook that the compact style keeps; 0 keeps all."""
    max_optional_parameters: int = Field(0, ge=0)
    """Optional parameters of each tool that the compact style shows; 0 shows all."""
    max_result_rows: int = Field(6, ge=1)
    """Rows of each list in a tool result that the compact style shows."""
    max_result_chars: int = Field(900, ge=20)
    """Characters of a tool result that the compact style shows."""
    one_call_per_turn: bool = True
    """Whether generation of a turn stops after its first call, where calls are in `<tool_call>` tags."""


class RolloutSettings(_Section):
    """How episodes are played, in training and in evaluation."""

    max_turns: int = Field(8, ge=1)
    """Messages of the model in one episode."""
    max_turn_tokens: int = Field(160, ge=4)
    """Tokens of one message of the model."""
    max_context_tokens: int = Field(2048, ge=64)
    """Tokens of one episode, prompt included; an episode that needs more ends there."""
    num_parallel_envs: int = Field(512, ge=1)
    """Episodes that are played at the same time."""
    temperature: float = Field(1.0, ge=0)
    max_tools: int = Field(0, ge=0)
    """Tools that the prompt lists: those that the task's key calls, and others up to this number; 0 lists all tools of the role."""
    face: str = "plain"
    workers: int = Field(1, ge=1)
    """Threads for tools and verifiers. With more than one, worlds answer finished turns while other turns are still generated: this
    helps where a small model generates fast."""


class SftSettings(_Section):
    """The stage that learns from demonstrations."""

    data: tuple[str, ...] = ()
    """Files of distilled rows (`sft/train.jsonl`); without any, the gold walks of the gyms' own keys are used."""
    error_recovery: float = Field(0.0, ge=0, le=1)
    """Share of the gold walks that is added a second time with a wrong call and its answer in it. The wrong call is context and not
    a target. A model that has never seen an error gives up at the first."""
    steps: int = Field(200, ge=0)
    batch_size: int = Field(32, ge=1)
    learning_rate: float = Field(1e-4, gt=0)
    warmup_steps: int = Field(10, ge=0)
    cosine_decay: bool = True
    """Whether the learning rate falls to a tenth along a cosine; otherwise it stays constant after warm-up."""
    readiness_every: int = Field(0, ge=0)
    """Check readiness every so many steps and end SFT when it is reached; 0 checks only at the end."""


class ReadinessSettings(_Section):
    """What a model has to reach in SFT before GRPO can teach it anything."""

    episodes: int = Field(64, ge=1)
    min_well_formed: float = Field(0.8, ge=0, le=1)
    """Share of turns that must be readable calls of existing tools."""
    min_solved: float = Field(0.0, ge=0, le=1)
    """Share of episodes that must be solved. One solved episode is always required."""
    required: bool = False
    """Whether a run ends with an error where readiness is not reached; otherwise it notes that and continues."""


class GrpoSettings(_Section):
    """The stage that learns from verdicts."""

    steps: int = Field(100, ge=0)
    tasks_per_step: int = Field(16, ge=1)
    num_generations: int = Field(8, ge=2)
    """Episodes of each task: the size of a group."""
    learning_rate: float = Field(1e-5, gt=0)
    warmup_steps: int = Field(5, ge=0)
    updates_per_step: int = Field(1, ge=1)
    """Optimizer updates for each batch of episodes; the batch is split among them."""
    scale_rewards: bool = True
    """Whether advantages are divided by the standard deviation of the rewards of their group."""
    epsilon: float = Field(0.2, gt=0)
    """Lower clipping bound of the probability ratio."""
    epsilon_high: float = Field(0.28, gt=0)
    """Upper clipping bound of the probability ratio."""
    beta: float = Field(0.0, ge=0)
    """Weight of the KL divergence from the model that GRPO started with; 0 keeps no reference model."""
    sampling: str = Field("even", pattern="^(even|band)$")
    """`even` draws every task equally often; `band` draws tasks in the learnable band more often, by the gate's estimates and by
    what the run has seen."""


class Settings(_Section):
    """One training run."""

    model: str
    """A folder, or the name of a model that transformers can fetch."""
    gyms: tuple[str, ...] = Field(min_length=1)
    tasks: tuple[str, ...] = ()
    """Task ids or patterns (`task_001`, `task_0*`) to train on; without any, all tasks."""
    max_calls: int = Field(0, ge=0)
    """Longest gold walk of a task to train on, in calls; 0 for any."""
    algo: str = Field("grpo", pattern="^(sft|grpo)$")
    """`sft`: demonstrations only; `grpo`: demonstrations until ready, then verdicts."""
    seed: int = Field(0, ge=0)
    device: str = "auto"
    precision: str = Field("auto", pattern="^(auto|bf16|fp32)$")
    """`auto`: bf16 on a GPU, fp32 elsewhere. Weights and optimizer stay fp32 unless LoRA is used."""
    lora: int = Field(0, ge=0)
    """Rank of the LoRA adapters; 0 trains all weights."""
    gradient_checkpointing: bool = False
    """Whether activations are recomputed in the backward pass: less memory, more time."""
    torch_compile: bool = False
    """Whether the layers that are trained are compiled (needs a C++ compiler): slow to start, for long runs."""
    micro_batch_tokens: int = Field(16_384, ge=64)
    """Padded tokens of one forward and backward pass."""
    max_grad_norm: float = Field(1.0, gt=0)
    weight_decay: float = Field(0.0, ge=0)
    save_steps: int = Field(50, ge=0)
    """Steps between two checkpoints; 0 saves only at the end of each stage."""
    chat_format: ChatFormatSettings = ChatFormatSettings()
    rollout: RolloutSettings = RolloutSettings()
    sft: SftSettings = SftSettings()
    readiness: ReadinessSettings = ReadinessSettings()
    grpo: GrpoSettings = GrpoSettings()


def parse_settings(data: dict[str, Any], source: str) -> Settings:
    """Validate plain data as settings. Errors name the setting, and `source` as the place where it stands."""
    try:
        settings = Settings(**data)
    except ValidationError as e:
        raise UsageError(f"{source}: " + "; ".join(map(_describe_error, e.errors()))) from None
    if settings.rollout.face not in SURFACES:
        raise UsageError(
            f"{source}: rollout.face is {settings.rollout.face!r}; {suggest(settings.rollout.face, SURFACES)}"
        )
    if settings.rollout.max_tools and settings.rollout.face != "plain":
        raise UsageError(f"{source}: rollout.max_tools needs the plain face, not {settings.rollout.face}")
    if settings.rollout.max_tools and settings.sft.data:
        raise UsageError(
            f"{source}: rollout.max_tools needs the gold walks of the gyms: distilled rows list their own tools"
        )
    return settings


def _describe_error(error: Any) -> str:
    place = [str(part) for part in error["loc"]]
    if error["type"] != "extra_forbidden":
        return f"{'.'.join(place)}: {error['msg']}"
    section: Any = Settings
    for part in place[:-1]:
        section = section.model_fields[part].annotation
    return f"{'.'.join(place)} is no setting; {suggest(place[-1], section.model_fields)}"


def read_settings(path: Path) -> dict[str, Any]:
    """Read a settings file as plain data, to be completed by options and validated by `parse_settings`."""
    try:
        data, _ = read_yaml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}") from None
    except (OSError, UnicodeDecodeError, YamlError) as e:
        raise UsageError(f"{path} cannot be read: {e}") from None
    if not isinstance(data, dict):
        raise UsageError(f"{path} holds no settings: it should begin like `model: ...`")
    return data


def write_settings(settings: Settings, folder: Path) -> None:
    """Write `run.yaml` into the folder of a run."""
    text = dump_yaml(settings.model_dump(mode="json"))
    write_whole(folder / RUN_FILE, text)
