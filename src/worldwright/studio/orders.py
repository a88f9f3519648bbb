"""The form of a build, read: the command that it means. Every value is checked before a process is started."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.kinds.database.battery.settings import BATTERIES
from worldwright.kinds.database.compile.tasks.knobs import PROFILES
from worldwright.studio.forms import one
from worldwright.variants.axes import NAMES as AXES
from worldwright.variants.inject import parse_layers

EVERYTHING = "every domain of the catalogue"
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,59}\Z")
MAX_WORLDS, MAX_WORKERS, MAX_SEED = 100_000, 256, 2**63 - 1
Form = Mapping[str, list[str]]


def read_order(form: Form, known: Collection[str]) -> tuple[list[str], str, dict[str, Any]]:
    """The command that a form means, a title for it, and what it is about."""
    domain = one(form, "domain")
    if domain != EVERYTHING and domain not in known:
        raise UsageError(f"there is no business {domain[:60]!r} to build; {suggest(domain[:60], known)}")
    seed, tag = _number(form, "seed", 0, MAX_SEED), one(form, "tag").strip() or "latest"
    if not _TAG.match(tag):
        raise UsageError("a tag is letters, digits, _ . and -")
    command = ["generate", *(["--all"] if domain == EVERYTHING else ["--domain", domain])]
    command += ["--seed", str(seed)] if seed else []
    command += ["--tag", tag] if tag != "latest" else []
    layers = parse_layers(form.get("layers", []))
    command += ["--inject", ", ".join(layers)] if layers else []
    with_tasks = one(form, "tasks") == "yes"
    command += _read_tasks(form) if with_tasks else ["--no-tasks"]
    many = one(form, "many") == "yes" or domain == EVERYTHING
    command += _read_many(form) if many else []
    title = f"{one(form, 'variants')} worlds of {domain}" if many else f"{domain}, seed {seed}"
    return [*command, "--events", "EVENTS"], title, {"domain": domain, "many": many}


def _read_tasks(form: Form) -> list[str]:
    out = []
    complexity, battery, most = one(form, "complexity"), one(form, "battery"), one(form, "most").strip()
    if complexity:
        out += ["--complexity", _choose(complexity, PROFILES, "complexity")]
    if battery:
        out += ["--battery", _choose(battery, BATTERIES, "battery")]
    return [*out, "--tasks-per-world", str(_number(form, "most", 1, 1000))] if most else out


def _read_many(form: Form) -> list[str]:
    out = [
        "--variants",
        str(_number(form, "variants", 1, MAX_WORLDS)),
        "--siblings",
        str(_number(form, "siblings", 1, 1000, 2)),
    ]
    axes = form.get("axes", [])
    if axes and set(axes) != set(AXES):
        out += ["--axes", ",".join(_choose(name, AXES, "axis") for name in axes)]
    return [*out, "--workers", str(_number(form, "workers", 1, MAX_WORKERS, 1))]


def _number(form: Form, name: str, low: int, high: int, usual: int = 0) -> int:
    text = one(form, name).strip() or str(max(low, usual))
    if not text.isdecimal() or not low <= int(text) <= high:
        raise UsageError(f"{name} is a whole number from {low:,} to {high:,}, and not {text[:40]!r}")
    return int(text)


def _choose(value: str, known: Collection[str], what: str) -> str:
    if value not in known:
        raise UsageError(f"no {what} is called {value[:40]!r}; {suggest(value[:40], known)}")
    return value
