"""`worldwright train`: train a model in live worlds: SFT, then GRPO."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from worldwright.cli.extras import needing
from worldwright.cli.jobs.outputs import check_writable
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import note, print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.core.errors import UsageError
from worldwright.formats.strict_yaml import YamlError, read_yaml
from worldwright.train.settings import CHAT_STYLES, RUN_FILE, Settings, parse_settings, read_settings

SHOWN = (
    "loss",
    "reward",
    "solved",
    "reward_variance",
    "all_0",
    "all_1",
    "entropy",
    "kl",
    "response_tokens",
    "tool_errors",
)
"""Of the figures of a step, those that a terminal has room for."""


def _pairs(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    """`grpo.steps=50` as nested data; values are YAML."""
    out: dict[str, Any] = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not name or not equals:
            raise click.BadParameter(f"{value!r} is not NAME=VALUE", ctx, param)
        try:
            read, _ = read_yaml(text)
        except YamlError:
            raise click.BadParameter(f"{text!r} is no value", ctx, param) from None
        inside = out
        *parts, last = name.split(".")
        for part in parts:
            inside = inside.setdefault(part, {})
        inside[last] = read
    return out


@click.command(name="train")
@click.option("--gym", "gyms", multiple=True, metavar="NAME[:TAG]", help="Worlds to learn in; may be repeated.")
@click.option("--model", metavar="PATH_OR_ID", help="A folder with a model, or a name that transformers can fetch.")
@click.option("--algo", type=click.Choice(("sft", "grpo")), help="Demonstrations only, or verdicts after them (grpo).")
@click.option("--chat-format", type=click.Choice(CHAT_STYLES), help="How conversations are written (auto).")
@click.option(
    "--lora", type=click.IntRange(0), metavar="RANK", help="Train adapters of this rank; 0 trains all weights (0)."
)
@click.option(
    "--rollout-workers",
    "workers",
    type=click.IntRange(1),
    metavar="N",
    help="Threads that call tools and verifiers (1).",
)
@click.option(
    "--sft-data", "data", multiple=True, metavar="FILE", help="Distilled rows; without any, the gold walks of the gyms."
)
@click.option("--seed", type=click.IntRange(0), help="Same seed, same run (0).")
@click.option(
    "--set", "more", multiple=True, callback=_pairs, metavar="NAME=VALUE", help="Any other setting: grpo.steps=50."
)
@click.option(
    "--config",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Settings; options come before them.",
)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="Where the run is kept.")
@click.option("--resume", is_flag=True, help="Go on with the run that is there.")
@click.option("--json", "as_json", is_flag=True, help="What it came to, as one JSON document.")  # fmt: skip
def command(config: Path | None, out: Path | None, resume: bool, as_json: bool, **given: Any) -> None:
    """Teach a model in live worlds: demonstrations until it is ready, then its own episodes, with verdicts as rewards.

    Everything that decides the run stands in OUT/run.yaml; with that file it can be done again. A run that was stopped
    goes on exactly where it was. Figures go to OUT/metrics.jsonl, and to TensorBoard where it is installed.

    \b
    Examples:
      worldwright train --gym town_library --model Qwen/Qwen3-0.6B --out runs/first
      worldwright train --gym hotel_booking --gym motor_claims --algo sft --model ./smollm2 --chat-format compact
      worldwright train --config runs/first/run.yaml --out runs/again
      worldwright train --out runs/first --resume
    """
    folder, settings = _settings(config, out, resume, given)
    check_writable(folder)
    screen = Screen(err=True)
    with needing("train"):
        from worldwright.train.stages import train
    watcher = _Watcher(screen)
    try:
        result = train(settings, folder, resume, watcher)
    finally:
        watcher.close()
    if as_json:
        print_json(result)
    else:
        Screen().print(_said(result), soft_wrap=True)


def _settings(config: Path | None, out: Path | None, resume: bool, given: dict[str, Any]) -> tuple[Path, Settings]:
    """Where the run is kept, and its settings: from a file, and options over them. A resumed run brings its own file."""
    if out is not None and resume and config is None:
        config = out / RUN_FILE
    data = read_settings(config) if config is not None else {}
    direct = {
        "model": given["model"], "gyms": list(given["gyms"]) or None, "algo": given["algo"],
        "lora": given["lora"], "seed": given["seed"], "chat_format": {"style": given["chat_format"]},
        "rollout": {"workers": given["workers"]}, "sft": {"data": list(given["data"]) or None},
    }  # fmt: skip
    for layer in (direct, given["more"]):
        data = _over(data, layer)
    missing = [option for name, option in (("model", "--model"), ("gyms", "--gym")) if not data.get(name)]
    if missing:
        raise UsageError(f"name {' and '.join(missing)}, or a file that does (--config)")
    if out is None:
        out = Path("runs") / f"train-{Path(str(data['model'])).name}"
    return out, parse_settings(data, str(config) if config is not None else "the options")


def _over(data: Mapping[str, Any], layer: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(data)
    for name, value in layer.items():
        if isinstance(value, dict):
            inside = out.get(name)
            merged = _over(inside if isinstance(inside, dict) else {}, value)
            if merged:
                out[name] = merged
        elif value is not None:
            out[name] = value
    return out


class _Watcher:
    """A line that moves for every stage, and notes between."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._stage = ""
        self._progress: Progress | None = None

    def step(self, stage: str, step: int, steps: int, metrics: Mapping[str, float]) -> None:
        if stage != self._stage:
            self.close()
            self._stage, self._progress = stage, Progress(self._screen, f"{stage} steps", steps, step)
            self._progress.__enter__()
        assert self._progress is not None
        self._progress.step("  ".join(f"{name} {metrics[name]:.3g}" for name in SHOWN if name in metrics))

    def note(self, text: str) -> None:
        note(text)

    def close(self) -> None:
        if self._progress is not None:
            self._progress.__exit__(None, None, None)
            self._progress = None


def _said(result: Mapping[str, Any]) -> str:
    ready = result.get("readiness")
    said = (
        ""
        if ready is None
        else ("; ready before GRPO" if ready["ready"] else f"; not ready before GRPO: {ready['reason']}")
    )
    return f"{result['model']}: {result['steps']} steps of {result['stage']} on {result['tasks']} tasks{said}"
