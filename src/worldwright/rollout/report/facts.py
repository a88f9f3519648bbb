"""What was run, in words: from `run.json`, as much of it as there is."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from worldwright.agents.chat import encode
from worldwright.rollout.records import Limits
from worldwright.rollout.report.summary import Summary

_OPTIONS = {"turns": "--max-turns", "calls": "--max-calls", "output": "--max-output", "seconds": "--max-seconds"}


def list_facts(found: Summary) -> list[tuple[str, str, bool]]:
    """List (what, value, whether it is for machines) of a run."""
    config = found.config
    rows = [("run", found.name, False), ("agent", found.agent, False), ("fingerprint", found.agent_id, True)]
    identity = _part(config, "agent").get("identity")
    if identity:
        rows.append(("identity", encode(identity), True))
    rows += [(name, str(config[name]), False) for name in ("gym", "attempts", "seed", "face") if name in config]
    if _part(config, "limits"):
        rows.append(("limits", ", ".join(f"{v:,} {k}" for k, v in _part(config, "limits").items()), False))
    for world in list_worlds(found):
        rows.append(("world", " ".join(world), True))
    rows += [(name, str(config[name]), True) for name in ("plan", "digest") if config.get(name)]
    rows.append(("again", " ".join(map(shlex.quote, build_command(found))), True))
    rows.append(("this page", f"worldwright report {shlex.quote(found.name)} --html report.html", True))
    return rows


def list_worlds(found: Summary) -> list[tuple[str, ...]]:
    """Name, variant and digest of each world, from the plan; else from the episodes."""
    given = found.config.get("worlds")
    if isinstance(given, list) and all(isinstance(w, Mapping) for w in given):
        return [tuple(str(w[key]) for key in ("domain", "variant", "digest") if key in w) for w in given]
    return sorted({(row.domain, row.world) for row in found.rows})


def build_command(found: Summary) -> list[str]:
    """Build the command that plays a run again."""
    config = found.config
    out = ["worldwright", "rollout", "--gym", str(config.get("gym", "GYM"))]
    out += ["--agent", str(_part(config, "agent").get("spec", found.agent))]
    out += ["--attempts", str(config.get("attempts", found.attempts)), "--seed", str(config.get("seed", 0))]
    if config.get("face", "plain") != "plain":
        out += ["--face", str(config["face"])]
    out += _filter_options(_part(config, "choice"))
    for name, value in _part(config, "options").items():
        own = name in ("temperature", "base_url")
        out += [f"--{name.replace('_', '-')}", str(value)] if own else ["--agent-option", f"{name}={value}"]
    out += ["--wordings", "FILE"] if config.get("wordings") else []
    usual = asdict(Limits())
    for name, value in _part(config, "limits").items():
        if name in _OPTIONS and value != usual[name]:
            out += [_OPTIONS[name], str(value)]
    return out


def _filter_options(choice: Mapping[str, Any]) -> list[str]:
    out = []
    for name, option in (("tasks", "--tasks"), ("families", "--family")):
        if choice.get(name):
            out += [option, ",".join(map(str, choice[name]))]
    if choice.get("sample"):
        out += ["--sample", str(choice["sample"])]
    if choice.get("held_out") is not None:
        out.append("--held-out" if choice["held_out"] else "--not-held-out")
    return out


def _part(config: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = config.get(name)
    return found if isinstance(found, Mapping) else {}


def format_amount(value: float) -> str:
    """A number with as many digits as a person reads: `17,409`, `4.2`, `0.0066`."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"
