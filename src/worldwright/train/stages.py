"""A training run from its settings to its weights: SFT on demonstrations, the readiness check, GRPO.

OUT/
  run.yaml           the settings: `worldwright train --config OUT/run.yaml --out ANOTHER` repeats the run
  metrics.jsonl      a line for every step; tensorboard/ the same where TensorBoard is installed
  checkpoint/        what the next step depends on; `--resume` continues from it
  sft/               the model after SFT
  model/             the model at the end
  result.json        a summary of the run
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from worldwright.core.canonical import pretty_json
from worldwright.core.errors import UsageError
from worldwright.core.whole_file import write_whole
from worldwright.train.demonstrations import build_demonstrations
from worldwright.train.engine import STATE_FILE, TrainingEngine, load_model
from worldwright.train.evaluate import Readiness, check_readiness, evaluate
from worldwright.train.metrics import MetricsLog
from worldwright.train.rollouts import WorldTask
from worldwright.train.settings import RUN_FILE, Settings, parse_settings, read_settings, write_settings
from worldwright.train.task_sampling import (
    SolveEstimates,
    load_gate_estimates,
    load_tasks,
    sample_evenly,
    sample_tasks_by_variance,
    sample_tasks_evenly,
    update_estimates,
)

CHECKPOINT_FOLDER, RESULT_FILE = "checkpoint", "result.json"
CHANGEABLE_ON_RESUME = {"save_steps", "device", "micro_batch_tokens", "torch_compile", "sft.steps", "grpo.steps"}
"""Settings that a resumed run may change: they decide how far or how it runs, not what a step does."""


class RunObserver(Protocol):
    """Receives the progress of a run."""

    def step(self, stage: str, step: int, steps: int, metrics: Mapping[str, float]) -> None: ...

    def note(self, text: str) -> None: ...


class SilentObserver:
    """Ignores the progress of a run."""

    def step(self, stage: str, step: int, steps: int, metrics: Mapping[str, float]) -> None: ...

    def note(self, text: str) -> None: ...


@dataclass(slots=True)
class Progress:
    """How far a run has come: what a checkpoint holds beside the weights."""

    stage: str = "sft"
    step: int = 0
    """The step that comes next."""
    estimates: SolveEstimates = field(default_factory=dict)
    readiness: dict[str, Any] | None = None

    def data(self) -> dict[str, Any]:
        return {
            "stage": self.stage,
            "step": self.step,
            "estimates": {k: list(v) for k, v in self.estimates.items()},
            "readiness": self.readiness,
        }

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Progress:
        estimates = {k: (v[0], v[1]) for k, v in data["estimates"].items()}
        return cls(data["stage"], data["step"], estimates, data["readiness"])


@dataclass(slots=True)
class Run:
    """A run while it is running."""

    settings: Settings
    out: Path
    engine: TrainingEngine
    tasks: Sequence[WorldTask]
    observer: RunObserver
    progress: Progress
    log: MetricsLog

    def save_checkpoint(self) -> None:
        self.engine.save_checkpoint(self.out / CHECKPOINT_FOLDER, self.progress.data())

    def is_checkpoint_due(self, step: int) -> bool:
        every = self.settings.save_steps
        return bool(every) and (step + 1) % every == 0

    def report(self, step: int, steps: int, metrics: Mapping[str, float]) -> None:
        self.log.write(self.progress.stage, step, metrics)
        self.observer.step(self.progress.stage, step, steps, metrics)


def train(
    settings: Settings,
    out: Path,
    resume: bool = False,
    observer: RunObserver | None = None,
    model: tuple[Any, Any] | None = None,
) -> dict[str, Any]:
    """Run all stages, or with `resume` those that are left. Return a summary as plain data.

    `model`: the model and its tokenizer, where they are loaded already.
    """
    observer = observer or SilentObserver()
    resumed = _check_out_folder(settings, out, resume)
    write_settings(settings, out)
    tasks = load_tasks(settings.gyms, settings.tasks, settings.max_calls, settings.rollout.face)
    engine = TrainingEngine(settings, *(model or load_model(settings)))
    if resumed:
        progress = Progress.parse(engine.load_checkpoint(out / CHECKPOINT_FOLDER))
    else:
        progress = Progress(estimates=load_gate_estimates(tasks))
        engine.start_stage("sft")
    in_sft = progress.stage == "sft"
    next_steps = {"sft": progress.step} if in_sft else {"sft": sys.maxsize, "grpo": progress.step}
    run = Run(settings, out, engine, tasks, observer, progress, MetricsLog(out, next_steps))
    worlds = len({task.world.digest for task in tasks})
    observer.note(f"{len(tasks)} tasks of {worlds} worlds; chat format {engine.chat_format.style}")
    gc.freeze()  # worlds stay to the end: with hundreds of them, each garbage collection would take seconds
    try:
        if progress.stage == "sft":
            _run_sft(run)
        if settings.algo == "grpo" and progress.stage == "grpo":
            _run_grpo(run)
    finally:
        gc.unfreeze()
        run.log.close()
    engine.write_model(out / "model")
    result = {
        "stage": progress.stage, "steps": progress.step, "readiness": progress.readiness, "tasks": len(tasks),
        "model": str(out / "model"),
    }  # fmt: skip
    write_whole(out / RESULT_FILE, pretty_json(result))
    return result


def _check_out_folder(settings: Settings, out: Path, resume: bool) -> bool:
    """Return whether there is a checkpoint to continue from; refuse to overwrite a run, or to resume it as another."""
    if not (out / CHECKPOINT_FOLDER / STATE_FILE).exists():
        return False
    if not resume:
        raise UsageError(f"{out} holds a run already: continue it (--resume), or name another folder")
    earlier = parse_settings(read_settings(out / RUN_FILE), str(out / RUN_FILE))
    names = list_differences(earlier.model_dump(), settings.model_dump())
    changed = [name for name in names if name not in CHANGEABLE_ON_RESUME]
    if changed:
        raise UsageError(
            f"{out} was started with other settings ({', '.join(changed)}): resume it with --config {out / RUN_FILE}"
        )
    return True


def list_differences(one: Mapping[str, Any], other: Mapping[str, Any], prefix: str = "") -> list[str]:
    """List the settings in which two runs differ, by their dotted names."""
    out: list[str] = []
    for name, value in one.items():
        if isinstance(value, dict):
            out += list_differences(value, other[name], f"{prefix}{name}.")
        elif value != other[name]:
            out.append(f"{prefix}{name}")
    return out


def _run_sft(run: Run) -> None:
    settings, engine, progress = run.settings, run.engine, run.progress
    how = settings.sft
    episodes = []
    if progress.step < how.steps:
        episodes = build_demonstrations(settings, engine.chat_format, run.tasks, run.observer.note)
    while progress.step < how.steps:
        step = progress.step
        metrics = engine.sft_step(step, sample_evenly(episodes, how.batch_size, step, settings.seed, "demonstrations"))
        progress.step += 1
        run.report(step, how.steps, metrics)
        due = how.readiness_every and progress.step % how.readiness_every == 0 and progress.step < how.steps
        if due and _measure_readiness(run).ready:
            run.observer.note(f"ready after {progress.step} steps")
            break
        if run.is_checkpoint_due(step):
            run.save_checkpoint()
    if settings.algo == "grpo":
        readiness = _measure_readiness(run)
        progress.readiness = readiness.data()
        run.observer.note(f"readiness: {'yes' if readiness.ready else 'no, ' + readiness.reason}")
        if settings.readiness.required and not readiness.ready:
            run.save_checkpoint()
            raise UsageError(f"the model is not ready for GRPO: {readiness.reason}")
        engine.write_model(run.out / "sft")
        progress.stage, progress.step = "grpo", 0
        engine.start_stage("grpo")
    run.save_checkpoint()


def _measure_readiness(run: Run) -> Readiness:
    required, seed = run.settings.readiness, run.settings.seed
    tasks = sample_tasks_evenly(run.tasks, required.episodes, 0, seed)
    found = evaluate(run.engine.play, tasks, temperature=run.settings.rollout.temperature, seed=seed)
    return check_readiness(found, required)


def _run_grpo(run: Run) -> None:
    settings, engine, progress = run.settings, run.engine, run.progress
    how = settings.grpo
    while progress.step < how.steps:
        step = progress.step
        tasks = (
            sample_tasks_by_variance(run.tasks, progress.estimates, how.tasks_per_step, step, settings.seed)
            if how.sampling == "band"
            else sample_tasks_evenly(run.tasks, how.tasks_per_step, step, settings.seed)
        )
        metrics, batch = engine.grpo_step(step, tasks)
        progress.estimates = update_estimates(progress.estimates, ((one.task, one.reward) for one in batch.rollouts))
        progress.step += 1
        run.report(step, how.steps, metrics)
        if run.is_checkpoint_due(step):
            run.save_checkpoint()
    run.save_checkpoint()
