"""What every study does: teach, practise, count; and write down what comes, as it comes."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from studies import compact, lines
from worldwright.core.rng import Stream
from worldwright.train.evaluate import Evaluation, evaluate
from worldwright.train.order import Seen, even, likely, noted, places_of
from worldwright.train.plain_engine import PlainEngine, load_model
from worldwright.train.rollouts import Place
from worldwright.train.settings import Settings
from worldwright.train.talk import Line

SHOWN = (
    "loss",
    "reward",
    "solved",
    "all_0",
    "all_1",
    "entropy",
    "formed",
    "seconds_rollout",
    "seconds_worlds",
    "seconds_learn",
)


Along = tuple[int, Mapping[str, Sequence[Place]]]


class Bench:
    """A run of a study: its folder, its clock, its model."""

    def __init__(self, out: Path, settings: Settings) -> None:
        self.out, self.settings, self._begin = out, settings, time.perf_counter()
        out.mkdir(parents=True, exist_ok=True)
        self.engine = PlainEngine(settings, *load_model(settings))
        self._start = self.kept()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._begin

    def note(self, *said: object) -> None:
        print(f"{self.seconds:7.1f} s ", *said, flush=True)

    def kept(self) -> dict[str, Any]:
        """The weights as they are."""
        return {name: value.detach().clone() for name, value in self.engine.model.state_dict().items()}

    def go_back(self, weights: dict[str, Any] | None = None) -> None:
        """To these weights, or to the beginning."""
        self.engine.model.load_state_dict(weights or self._start)
        self.engine.begin("sft")

    def taught(self, name: str, found: Sequence[Line], steps: int, seed: int) -> None:
        """SFT over these lines, each as often as any other."""
        self.engine.begin("sft")
        for step in range(steps):
            self._step(
                name, step, self.engine.sft_step(step, even(found, self.settings.sft.batch, step, seed, "lines")), 50
            )

    def practised(
        self, name: str, places: Sequence[Place], seconds: float, seed: int, steps: int = 0, along: Along = (0, {})
    ) -> None:
        """GRPO at these tasks, until its steps are done, the time is up, or a file `stop` lies in its folder.

        `along`: after so many steps count here."""
        self.engine.begin("grpo")
        seen: Seen = {}
        begin = time.perf_counter()
        for step in range(steps or self.settings.grpo.steps):
            if time.perf_counter() - begin > seconds or (self.out / "stop").exists():
                break
            found, played = self.engine.grpo_step(step, likely(places, seen, self.settings.grpo.tasks, step, seed))
            seen = noted(seen, ((one.place, one.reward) for one in played.rolled))
            self._step(name, step, found, 1)
            if along[0] and (step + 1) % along[0] == 0:
                self.counted(f"{name}-{step + 1}", along[1])

    def _step(self, name: str, step: int, found: dict[str, float], every: int) -> None:
        with (self.out / "steps.jsonl").open("a") as file:
            file.write(json.dumps({"run": name, "step": step, "seconds": round(self.seconds, 2), **found}) + "\n")
        if step % every == 0:
            self.note(name, step, {k: round(found[k], 4) for k in SHOWN if k in found})

    def counted(self, name: str, fields: Mapping[str, Sequence[Place]], warm: bool = False) -> dict[str, Evaluation]:
        """Every task once, at temperature 0; with `warm`, also twice at temperature 1, as GRPO plays."""
        out: dict[str, Evaluation] = {}
        told: dict[str, Any] = {}
        for field, places in fields.items():
            out[field] = evaluate(self.engine.play, places)
            told[field] = {**out[field].data(), "won": won(out[field])}
            if warm:
                told[f"{field}, temperature 1"] = evaluate(self.engine.play, places, 2, 1.0).data()
        compact.write(self.out / f"{name}.json", told)
        for field, one in told.items():
            by = {world: round(rate["solved"], 2) for world, rate in one["by_world"].items()}
            kinds = {kind: round(rate["solved"], 2) for kind, rate in one["by_family"].items()}
            said = {k: round(one["figures"][k], 3) for k in ("formed", "tool_errors") if k in one["figures"]}
            self.note(
                name, field, round(one["solved"], 4), one["interval"], one["episodes"], kinds, by, said, one["seconds"]
            )
        return out


def won(found: Evaluation) -> dict[str, int]:
    """By place, whether it was solved: what a paired comparison needs."""
    return {one.place.name: int(one.reward == 1.0) for one in found.judged}


def fields(
    data: Path, parts: Sequence[str] = ("fresh", "held_out"), most: int = 0, families: Sequence[str] = ()
) -> dict[str, list[Place]]:
    """The tasks of parts that can be done in this form, in worlds that are open: a sample of `most`, or those of `families`."""
    out = {}
    for part in parts:
        held = json.loads((data / f"{part}.json").read_text())
        allowed = frozenset(held["places"])
        gyms = [gym for gym in held["gyms"] if not families or gym.partition(":")[0] in families]
        places = [place for place in places_of(gyms, most_calls=compact.CALLS) if place.name in allowed]
        out[part] = Stream("sample", part).shuffled(places)[:most] if most else places
    return out


def demonstrations(data: Path, families: int = 20, variants: int = 64, slips: bool = False) -> list[lines.Shown]:
    """Of the first so many families, and of each of these so many worlds at most; with slips, or without."""
    names = compact.TRAINED[:families]
    found = [one for one in _shown(data) if one.family in names and one.variant < variants]
    return [one for one in found if slips or not one.slipped]


@cache
def _shown(data: Path) -> list[lines.Shown]:
    return [one for part in ("deep", "wide") for one in lines.read(data / f"{part}.npz")]
