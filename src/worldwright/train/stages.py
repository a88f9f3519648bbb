"""A run from its settings to its weights: demonstrations, the readiness gate, verdicts.

OUT/
  run.yaml           the settings: `worldwright train --config OUT/run.yaml --out ANOTHER` does it again
  metrics.jsonl      a line for every step; tensorboard/ the same where TensorBoard is installed
  checkpoint/        what the next step depends on; `--resume` goes on from it
  sft/               the model after the demonstrations
  model/             the model at the end
  result.json        what it came to
"""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from worldwright.core.canonical import pretty_json
from worldwright.core.errors import UsageError
from worldwright.core.whole_file import write_whole
from worldwright.train.demonstrations import lines_of
from worldwright.train.evaluate import evaluate
from worldwright.train.metrics import Journal
from worldwright.train.order import Seen, even, even_places, gate_estimates, likely, noted, places_of
from worldwright.train.plain_engine import STATE, PlainEngine, load_model
from worldwright.train.readiness import Readiness, readiness
from worldwright.train.rollouts import Place
from worldwright.train.settings import RUN, Settings, read_settings, settings_of, write_settings

CHECKPOINT, RESULT = "checkpoint", "result.json"
MAY_CHANGE = {"save_every", "device", "micro_tokens", "compiled", "sft.steps", "grpo.steps"}
"""Settings that a resumed run may have otherwise: they change how far or how it runs, not what a step does."""


class Heard(Protocol):
    """Whoever watches a run."""

    def step(self, stage: str, step: int, steps: int, found: Mapping[str, float]) -> None: ...

    def note(self, text: str) -> None: ...


class Unheard:
    """Nobody watches."""

    def step(self, stage: str, step: int, steps: int, found: Mapping[str, float]) -> None: ...

    def note(self, text: str) -> None: ...


@dataclass(slots=True)
class Progress:
    """How far a run has come: what a checkpoint holds beside the weights."""

    stage: str = "sft"
    step: int = 0
    """The step that comes next."""
    seen: Seen = field(default_factory=dict)
    ready: dict[str, Any] | None = None

    def data(self) -> dict[str, Any]:
        return {
            "stage": self.stage,
            "step": self.step,
            "seen": {k: list(v) for k, v in self.seen.items()},
            "ready": self.ready,
        }

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Progress:
        return cls(data["stage"], data["step"], {k: (v[0], v[1]) for k, v in data["seen"].items()}, data["ready"])


@dataclass(slots=True)
class Run:
    """A run of the plain engine."""

    settings: Settings
    out: Path
    engine: PlainEngine
    places: Sequence[Place]
    heard: Heard
    at: Progress
    journal: Journal

    def save(self) -> None:
        self.engine.save(self.out / CHECKPOINT, self.at.data())

    def due(self, step: int) -> bool:
        every = self.settings.save_every
        return bool(every) and (step + 1) % every == 0

    def tell(self, step: int, steps: int, found: Mapping[str, float]) -> None:
        self.journal.write(self.at.stage, step, found)
        self.heard.step(self.at.stage, step, steps, found)


def train(
    settings: Settings,
    out: Path,
    resume: bool = False,
    heard: Heard | None = None,
    model: tuple[Any, Any] | None = None,
) -> dict[str, Any]:
    """Do all of it, or what is left of it.

    What it came to, as plain data. `model`: the model and its tokenizer, where they are at hand.
    """
    heard = heard or Unheard()
    begun = _begun(settings, out, resume)
    write_settings(settings, out)
    places = places_of(settings.gyms, settings.tasks, settings.most_calls, settings.rollout.face)
    engine = PlainEngine(settings, *(model or load_model(settings)))
    at = Progress.of(engine.load(out / CHECKPOINT)) if begun else Progress(seen=gate_estimates(places))
    if not begun:
        engine.begin("sft")
    before = {"sft": at.step} if at.stage == "sft" else {"sft": 10**9, "grpo": at.step}
    run = Run(settings, out, engine, places, heard, at, Journal(out, before))
    worlds = len({place.world.digest for place in places})
    heard.note(f"{len(places)} tasks of {worlds} worlds; conversations in the {engine.talk.form} form")
    gc.freeze()  # worlds stay to the end: with hundreds of them, each search for garbage would take seconds
    try:
        if at.stage == "sft":
            _sft(run)
        if settings.algo == "grpo" and at.stage == "grpo":
            _grpo(run)
    finally:
        gc.unfreeze()
        run.journal.close()
    engine.write_model(out / "model")
    result = {"stage": at.stage, "steps": at.step, "ready": at.ready, "tasks": len(places), "model": str(out / "model")}
    write_whole(out / RESULT, pretty_json(result))
    return result


def _begun(settings: Settings, out: Path, resume: bool) -> bool:
    """Whether there is something to go on from; a run that is there is never written over by another."""
    if not (out / CHECKPOINT / STATE).exists():
        return False
    if not resume:
        raise UsageError(f"{out} holds a run already: go on with it (--resume), or name another folder")
    earlier = settings_of(read_settings(out / RUN), str(out / RUN))
    changed = [name for name in differences(earlier.model_dump(), settings.model_dump()) if name not in MAY_CHANGE]
    if changed:
        raise UsageError(
            f"{out} was begun with other settings ({', '.join(changed)}): resume it with --config {out / RUN}"
        )
    return True


def differences(one: Mapping[str, Any], other: Mapping[str, Any], inside: str = "") -> list[str]:
    """The settings that two runs have not in common."""
    out: list[str] = []
    for name, value in one.items():
        if isinstance(value, dict):
            out += differences(value, other[name], f"{inside}{name}.")
        elif value != other[name]:
            out.append(f"{inside}{name}")
    return out


def _sft(run: Run) -> None:
    settings, engine, at = run.settings, run.engine, run.at
    how = settings.sft
    lines = lines_of(settings, engine.talk, run.places, run.heard.note) if at.step < how.steps else []
    while at.step < how.steps:
        step = at.step
        found = engine.sft_step(step, even(lines, how.batch, step, settings.seed, "demonstrations"))
        at.step += 1
        run.tell(step, how.steps, found)
        if how.ready_every and at.step % how.ready_every == 0 and at.step < how.steps and _ready(run).ready:
            run.heard.note(f"ready after {at.step} steps")
            break
        if run.due(step):
            run.save()
    if settings.algo == "grpo":
        found_ready = _ready(run)
        at.ready = found_ready.data()
        run.heard.note(f"readiness: {'yes' if found_ready.ready else 'no, ' + found_ready.why}")
        if settings.ready.insist and not found_ready.ready:
            run.save()
            raise UsageError(f"the model is not ready for GRPO: {found_ready.why}")
        engine.write_model(run.out / "sft")
        at.stage, at.step = "grpo", 0
        engine.begin("grpo")
    run.save()


def _ready(run: Run) -> Readiness:
    wanted, seed = run.settings.ready, run.settings.seed
    tried = even_places(run.places, wanted.episodes, 0, seed)
    return readiness(evaluate(run.engine.play, tried, temperature=run.settings.rollout.temperature, seed=seed), wanted)


def _grpo(run: Run) -> None:
    settings, engine, at = run.settings, run.engine, run.at
    how = settings.grpo
    while at.step < how.steps:
        step = at.step
        drawn = (
            likely(run.places, at.seen, how.tasks, step, settings.seed)
            if how.sampling == "band"
            else even_places(run.places, how.tasks, step, settings.seed)
        )
        found, played = engine.grpo_step(step, drawn)
        at.seen = noted(at.seen, ((one.place, one.reward) for one in played.rolled))
        at.step += 1
        run.tell(step, how.steps, found)
        if run.due(step):
            run.save()
    run.save()
