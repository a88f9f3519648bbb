"""What every study does: SFT, GRPO and evaluation of one model, with every figure written as it comes."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from studies import curriculum, demonstrations
from worldwright.core.rng import Stream
from worldwright.train.chat_format import TokenizedEpisode
from worldwright.train.engine import TrainingEngine, load_model
from worldwright.train.evaluate import Evaluation, evaluate
from worldwright.train.rollouts import WorldTask
from worldwright.train.settings import Settings
from worldwright.train.task_sampling import (
    SolveEstimates,
    load_tasks,
    sample_evenly,
    sample_tasks_by_variance,
    update_estimates,
)

PRINTED_METRICS = (
    "loss",
    "reward",
    "solved",
    "all_0",
    "all_1",
    "entropy",
    "well_formed",
    "seconds_rollout",
    "seconds_worlds",
    "seconds_learn",
)
EvalSets = Mapping[str, Sequence[WorldTask]]
"""Tasks to evaluate on, by the name of the set."""


class StudyRun:
    """A run of a study: its folder, its clock, its model."""

    def __init__(self, out: Path, settings: Settings) -> None:
        self.out, self.settings, self._begin = out, settings, time.perf_counter()
        out.mkdir(parents=True, exist_ok=True)
        self.engine = TrainingEngine(settings, *load_model(settings))
        self._first_weights = self.copy_weights()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._begin

    def note(self, *parts: object) -> None:
        print(f"{self.seconds:7.1f} s ", *parts, flush=True)

    def copy_weights(self) -> dict[str, Any]:
        return {name: value.detach().clone() for name, value in self.engine.model.state_dict().items()}

    def restore_weights(self, weights: dict[str, Any] | None = None) -> None:
        """Go back to these weights, or to those that the run began with."""
        self.engine.model.load_state_dict(weights or self._first_weights)
        self.engine.start_stage("sft")

    def run_sft(self, name: str, episodes: Sequence[TokenizedEpisode], steps: int, seed: int) -> None:
        """Run SFT on demonstrations, each as often as any other."""
        self.engine.start_stage("sft")
        for step in range(steps):
            batch = sample_evenly(episodes, self.settings.sft.batch_size, step, seed, "lines")
            self._log_step(name, step, self.engine.sft_step(step, batch), 50)

    def run_grpo(
        self, name: str, tasks: Sequence[WorldTask], seconds: float, seed: int, eval_every: int = 0,
        eval_sets: EvalSets | None = None,
    ) -> None:  # fmt: skip
        """Run GRPO on tasks until its steps are done, the time is up, or there is a file `stop` in the folder of the run.

        After every `eval_every` steps the model is evaluated on `eval_sets`."""
        self.engine.start_stage("grpo")
        estimates: SolveEstimates = {}
        begin = time.perf_counter()
        for step in range(self.settings.grpo.steps):
            if time.perf_counter() - begin > seconds or (self.out / "stop").exists():
                break
            sampled = sample_tasks_by_variance(tasks, estimates, self.settings.grpo.tasks_per_step, step, seed)
            metrics, batch = self.engine.grpo_step(step, sampled)
            estimates = update_estimates(estimates, ((one.task, one.reward) for one in batch.rollouts))
            self._log_step(name, step, metrics, 1)
            if eval_every and (step + 1) % eval_every == 0:
                self.evaluate(f"{name}-{step + 1}", eval_sets or {})

    def _log_step(self, name: str, step: int, metrics: dict[str, float], print_every: int) -> None:
        with (self.out / "steps.jsonl").open("a") as file:
            file.write(json.dumps({"run": name, "step": step, "seconds": round(self.seconds, 2), **metrics}) + "\n")
        if step % print_every == 0:
            self.note(name, step, {k: round(metrics[k], 4) for k in PRINTED_METRICS if k in metrics})

    def evaluate(self, name: str, eval_sets: EvalSets, sampled: bool = False) -> dict[str, Evaluation]:
        """Play every task once at temperature 0; with `sampled`, also twice at temperature 1, as GRPO plays."""
        evaluations: dict[str, Evaluation] = {}
        data: dict[str, Any] = {}
        for eval_set, tasks in eval_sets.items():
            found = evaluations[eval_set] = evaluate(self.engine.play, tasks)
            data[eval_set] = {**found.data(), "solved_by_task": list_solved(found)}
            if sampled:
                data[f"{eval_set}, temperature 1"] = evaluate(self.engine.play, tasks, 2, 1.0).data()
        curriculum.write_json(self.out / f"{name}.json", data)
        for eval_set, one in data.items():
            worlds = {world: round(rate["solved"], 2) for world, rate in one["by_world"].items()}
            families = {family: round(rate["solved"], 2) for family, rate in one["by_family"].items()}
            metrics = {k: round(one["metrics"][k], 3) for k in ("well_formed", "tool_errors")}
            solved = round(one["solved"], 4), one["interval"], one["episodes"]
            self.note(name, eval_set, *solved, families, worlds, metrics, one["seconds"])
        return evaluations


def list_solved(found: Evaluation) -> dict[str, int]:
    """List by name of the task whether it was solved: what a paired comparison needs."""
    return {one.task.name: int(one.reward == 1.0) for one in found.judged}


def load_eval_sets(
    data: Path, parts: Sequence[str] = ("fresh", "held_out"), max_tasks: int = 0, families: Sequence[str] = ()
) -> dict[str, list[WorldTask]]:
    """Load the tasks of parts that can be done in the compact style: a sample of `max_tasks`, or those of `families`."""
    eval_sets = {}
    for part in parts:
        listed = json.loads((data / f"{part}.json").read_text())
        allowed = frozenset(listed["tasks"])
        gyms = [gym for gym in listed["gyms"] if not families or gym.partition(":")[0] in families]
        tasks = [task for task in load_tasks(gyms, max_calls=curriculum.MAX_CALLS) if task.name in allowed]
        eval_sets[part] = Stream("sample", part).shuffled(tasks)[:max_tasks] if max_tasks else tasks
    return eval_sets


def load_demonstrations(
    data: Path, families: int = 20, variants: int = 64, error_recovery: bool = False
) -> list[demonstrations.StoredDemonstration]:
    """Load demonstrations of the first so many families, and of each of these so many worlds at most."""
    names = curriculum.TRAINED[:families]
    found = [one for one in _read_demonstrations(data) if one.family in names and one.variant < variants]
    return [one for one in found if error_recovery or not one.has_error]


@cache
def _read_demonstrations(data: Path) -> list[demonstrations.StoredDemonstration]:
    return [one for part in ("deep", "wide") for one in demonstrations.read(data / f"{part}.npz")]
