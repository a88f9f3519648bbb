"""A training run as a command starts it: settings from a file and options, and a line that moves for every stage."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worldwright.cli.extras import require_extra
from worldwright.cli.jobs.outputs import check_writable
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import note, print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.core.errors import UsageError
from worldwright.formats.strict_yaml import YamlError, read_yaml
from worldwright.train import FIRST_METRICS
from worldwright.train.settings import RUN_FILE, Settings, parse_settings, read_settings


def run_training(config: Path | None, out: Path | None, resume: bool, as_json: bool, **given: Any) -> None:
    """Train with the settings of a file and options, and say what it came to."""
    folder, settings = _read_settings(config, out, resume, given)
    check_writable(folder)
    screen = Screen(err=True)
    with require_extra("train"):
        from worldwright.train.stages import train
    watcher = _Watcher(screen)
    try:
        result = train(settings, folder, resume, watcher)
    finally:
        watcher.close()
    if as_json:
        print_json(result)
    else:
        Screen().print(_format_result(result), soft_wrap=True)


def _read_settings(config: Path | None, out: Path | None, resume: bool, given: dict[str, Any]) -> tuple[Path, Settings]:
    """Return where the run is kept, and its settings: from a file, and options over them. A resumed run brings its own file."""
    if out is not None and resume and config is None:
        config = out / RUN_FILE
    data = read_settings(config) if config is not None else {}
    direct = {
        "model": given["model"], "gyms": list(given["gyms"]) or None, "algo": given["algo"],
        "lora": given["lora"], "seed": given["seed"], "chat_format": {"style": given["chat_format"]},
        "rollout": {"workers": given["workers"]}, "sft": {"data": list(given["data"]) or None},
    }  # fmt: skip
    for layer in (direct, _nest_settings(given["more"])):
        data = _merge_settings(data, layer)
    missing = [option for name, option in (("model", "--model"), ("gyms", "--gym")) if not data.get(name)]
    if missing:
        raise UsageError(f"name {' and '.join(missing)}, or a file that does (--config)")
    if out is None:
        out = Path("runs") / f"train-{Path(str(data['model'])).name}"
    return out, parse_settings(data, str(config) if config is not None else "the options")


def _nest_settings(pairs: Mapping[str, str]) -> dict[str, Any]:
    """Nest `grpo.steps=50` as data; values are YAML."""
    out: dict[str, Any] = {}
    for name, text in pairs.items():
        try:
            value, _ = read_yaml(text)
        except YamlError:
            raise UsageError(f"--set {name}: {text!r} is no value") from None
        inside = out
        *parts, last = name.split(".")
        for part in parts:
            inside = inside.setdefault(part, {})
        inside[last] = value
    return out


def _merge_settings(data: Mapping[str, Any], layer: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(data)
    for name, value in layer.items():
        if isinstance(value, dict):
            inside = out.get(name)
            merged = _merge_settings(inside if isinstance(inside, dict) else {}, value)
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
        self._progress.step("  ".join(f"{name} {metrics[name]:.3g}" for name in FIRST_METRICS if name in metrics))

    def note(self, text: str) -> None:
        note(text)

    def close(self) -> None:
        if self._progress is not None:
            self._progress.__exit__(None, None, None)
            self._progress = None


def _format_result(result: Mapping[str, Any]) -> str:
    ready = result.get("readiness")
    said = (
        ""
        if ready is None
        else ("; ready before GRPO" if ready["ready"] else f"; not ready before GRPO: {ready['reason']}")
    )
    return f"{result['model']}: {result['steps']} steps of {result['stage']} on {result['tasks']} tasks{said}"
