"""Everything that decides a training run, as one file: `run.yaml`. The same file, packs and model give the same run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worldwright.core.errors import UsageError
from worldwright.core.names import nearest
from worldwright.core.whole_file import write_whole
from worldwright.engine.surface import SURFACES
from worldwright.formats.strict_yaml import YamlError, dump_yaml, read_yaml
from worldwright.train.talk_settings import TalkSettings

RUN = "run.yaml"


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RolloutSettings(Part):
    """How episodes are played while learning and when they are counted."""

    turns: int = Field(8, ge=1)
    """Messages of the model in one episode."""
    turn_tokens: int = Field(160, ge=4)
    """Tokens of one message."""
    context: int = Field(2048, ge=64)
    """Tokens of one conversation; an episode that needs more ends there."""
    width: int = Field(512, ge=1)
    """Episodes that are played at once."""
    temperature: float = Field(1.0, ge=0)
    tools: int = Field(0, ge=0)
    """Tools that the model is told of: those that the key calls, and others up to so many; 0 for all that the role has."""
    face: str = "plain"
    workers: int = Field(1, ge=1)
    """Threads for tools and verifiers. With more than one, worlds answer those who have spoken while others still speak: worth it
    where a small model speaks fast."""


class SftSettings(Part):
    """Learning from demonstrations."""

    data: tuple[str, ...] = ()
    """Files of distilled rows (`sft/train.jsonl`); empty for the gold walks of the gyms' own keys."""
    slips: float = Field(0.0, ge=0, le=1)
    """Share of the gold walks that is shown again with a wrong call in it, which is answered and not taught: a model that has never
    seen an error gives up at the first."""
    steps: int = Field(200, ge=0)
    batch: int = Field(32, ge=1)
    rate: float = Field(1e-4, gt=0)
    warmup: int = Field(10, ge=0)
    decay: bool = True
    """Whether the rate falls to a tenth along a cosine."""
    ready_every: int = Field(0, ge=0)
    """Try the readiness gate every so many steps and stop when it is passed; 0: only at the end."""


class ReadySettings(Part):
    """When a model has learned enough from demonstrations to learn from its own episodes."""

    episodes: int = Field(64, ge=1)
    formed: float = Field(0.8, ge=0, le=1)
    """Share of its turns that must be calls that can be read, of tools that there are."""
    solved: float = Field(0.0, ge=0, le=1)
    """Share of episodes that must be solved; whatever it is, one at least."""
    insist: bool = False
    """Whether to stop the run where the gate is not passed, rather than to say so and go on."""


class GrpoSettings(Part):
    """Learning from verdicts."""

    steps: int = Field(100, ge=0)
    tasks: int = Field(16, ge=1)
    """Different tasks in one step."""
    group: int = Field(8, ge=2)
    """Episodes of each."""
    rate: float = Field(1e-5, gt=0)
    warmup: int = Field(5, ge=0)
    updates: int = Field(1, ge=1)
    """Steps of the optimizer for each batch of episodes."""
    by_deviation: bool = True
    """Whether advantages are divided by the deviation of their group."""
    clip_low: float = Field(0.2, gt=0)
    clip_high: float = Field(0.28, gt=0)
    kl: float = Field(0.0, ge=0)
    """Weight of the divergence from the model that GRPO began with; 0 keeps no copy of it."""
    sampling: str = Field("even", pattern="^(even|band)$")
    """even: every task as often; band: tasks in the learnable band more often, by the gate's estimates and by what is seen"""


class Settings(Part):
    """One run."""

    model: str
    """A folder, or the name of a model that transformers can fetch."""
    gyms: tuple[str, ...] = Field(min_length=1)
    tasks: tuple[str, ...] = ()
    """Only these, as `task_001` or patterns such as `task_0*`."""
    most_calls: int = Field(0, ge=0)
    """Only tasks whose gold walk has so many calls at most; 0 for all."""
    algo: str = Field("grpo", pattern="^(sft|grpo)$")
    """sft: demonstrations only; grpo: demonstrations until ready, then verdicts"""
    engine: str = Field("plain", pattern="^(plain|trl)$")
    seed: int = Field(0, ge=0)
    device: str = "auto"
    precision: str = Field("auto", pattern="^(auto|bf16|fp32)$")
    """auto: bf16 on a GPU, fp32 elsewhere. Weights and optimizer stay fp32 unless LoRA is used."""
    lora: int = Field(0, ge=0)
    """Rank of the adapters; 0 trains all weights."""
    checkpointing: bool = False
    """Less memory for activations, more time."""
    compiled: bool = False
    """Compile the layers that learn (plain engine; needs a C++ compiler): slow to begin, for long runs."""
    micro_tokens: int = Field(16_384, ge=64)
    """Padded tokens that go through the model together while learning."""
    clip_norm: float = Field(1.0, gt=0)
    weight_decay: float = Field(0.0, ge=0)
    save_every: int = Field(50, ge=0)
    """Steps between two checkpoints; 0: only at the end of each stage."""
    talk: TalkSettings = TalkSettings()
    rollout: RolloutSettings = RolloutSettings()
    sft: SftSettings = SftSettings()
    ready: ReadySettings = ReadySettings()
    grpo: GrpoSettings = GrpoSettings()


def settings_of(data: dict[str, Any], where: str) -> Settings:
    """Settings from plain data; what is wrong is named by its place, with what would be right."""
    try:
        made = Settings(**data)
    except ValidationError as e:
        raise UsageError(f"{where}: " + "; ".join(_said(one, data) for one in e.errors())) from None
    if made.rollout.face not in SURFACES:
        raise UsageError(f"{where}: rollout.face is {made.rollout.face!r}; {nearest(made.rollout.face, SURFACES)}")
    if made.rollout.tools:
        _few_tools_fit(made, where)
    return made


def _few_tools_fit(made: Settings, where: str) -> None:
    """A handful of tools is a choice among those of the role, under their own names, told by the plain engine."""
    for wrong, why in (
        (made.engine != "plain", f"needs the plain engine: with {made.engine}, the role's tools are all there"),
        (made.rollout.face != "plain", f"needs the plain face, not {made.rollout.face}"),
        (bool(made.sft.data), "goes with the gold walks of the gyms: distilled rows have tools of their own"),
    ):
        if wrong:
            raise UsageError(f"{where}: rollout.tools {why}")


def _said(error: Any, data: dict[str, Any]) -> str:
    place = [str(part) for part in error["loc"]]
    if error["type"] != "extra_forbidden":
        return f"{'.'.join(place)}: {error['msg']}"
    kind: Any = Settings
    for part in place[:-1]:
        kind = kind.model_fields[part].annotation
    return f"{'.'.join(place)} is no setting; {nearest(place[-1], kind.model_fields)}"


def read_settings(path: Path) -> dict[str, Any]:
    """A file of settings as plain data, to be completed by options and checked by `settings_of`."""
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
    text = dump_yaml(settings.model_dump(mode="json"))
    write_whole(folder / RUN, text)
