"""A gym as a package of verifiers v1: one Taskset, a harness and an environment, and the packs beside them."""

from __future__ import annotations

from pathlib import Path

from worldwright.adapters.export.package import Gym, read_gym, write_files
from worldwright.core.version import VERSION
from worldwright.engine.tasks import TaskBook


def write(gym: str, out: Path) -> list[Path]:
    """Write the package of a gym into a folder that a wheel is built from. The files."""
    found = read_gym(gym)
    module = f"worldwright_{found.name}"
    files: dict[str, bytes | str] = {
        "pyproject.toml": _pyproject(found, module),
        "README.md": _readme(found, module),
        f"{module}/__init__.py": _module(found, module),
        **found.archives(f"{module}/packs"),
    }
    return write_files(files, out)


def _pyproject(gym: Gym, module: str) -> str:
    major, minor = VERSION.split(".")[:2]
    return f"""\
[build-system]
requires = ["hatchling>=1.27,<2"]
build-backend = "hatchling.build"

[project]
name = "{module.replace("_", "-")}"
version = "{gym.version}"
description = "The gym {gym.name} as an environment of verifiers v1."
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["verifiers>=0.4,<0.5", "worldwright>={VERSION},<{major}.{int(minor) + 1}"]

# The packs go into the wheel whatever a version control around this folder ignores.
[tool.hatch.build]
ignore-vcs = true

[tool.hatch.build.targets.wheel]
packages = ["{module}"]
"""


def _module(gym: Gym, module: str) -> str:
    name = "".join(part.capitalize() for part in gym.name.split("_"))
    name = name if name.isidentifier() else f"Gym{name}"
    return f'''\
"""The gym `{gym.name}` as an environment of verifiers v1. Written by `worldwright export --to verifiers`."""

from worldwright.adapters.verifiers import WorldEnv, WorldHarness, WorldTaskset


class {name}Taskset(WorldTaskset):
    gym = "package:{module}"


__all__ = ["{name}Taskset", "WorldEnv", "WorldHarness"]
'''


def _readme(gym: Gym, module: str) -> str:
    package = module.replace("_", "-")
    variant = next(name for name, tasks in gym.tasks.items() if tasks)
    first = f"{variant}/{TaskBook(gym.packs[variant].files).tasks()[0].id}"
    rows = "\n".join(
        f"| `{variant}` | {gym.tasks[variant]} | `{pack.manifest.digest}` |" for variant, pack in gym.packs.items()
    )
    return f"""\
# {package}

The gym `{gym.name}`, made by Worldwright {VERSION}, as an environment of [verifiers](https://pypi.org/project/verifiers/) v1.

    pip install .
    vf-eval {package} -m MODEL --client.base-url http://127.0.0.1:8000/v1 -n 20 -r 4 --no-push
    vf-eval {package} -m MODEL --client.base-url http://127.0.0.1:8000/v1 --select.include.ids {first} --no-push
    vf-validate {package} --runtime.type subprocess

Without `--no-push`, verifiers sends the traces of a run to the platform of its makers.

| variant | tasks | world |
| --- | --- | --- |
{rows}

An agent gets a request, the handbook and the tools of its role. It ends the episode with the last tool, which takes the
answer. The reward `verdict` is 1 where the state and the answer are what was asked for, else 0. Where the environment itself
failed, the trace has an error and no reward.

## This package holds the keys

Grading happens in the trainer's process, so the keys of all tasks are in this package (`{module}/packs`). It belongs on the
side that trains or evaluates. Do not install it where an agent can run code, and do not publish it where a model learns from
what is published. Rows, prompts and tool results hold nothing of the keys.

## Settings

| setting | what it does |
| --- | --- |
| `--env.taskset.variants` | only these worlds |
| `--env.taskset.face` | how tasks are shown: `plain`, or any of `crowded`, `obscured` and `asking` joined by `_` |
| `--env.agent.harness.id {package} --env.agent.harness.silent` | so many replies in a row without a call end an episode |
| `--env.agent.max-turns` | so many replies at most |
| `--env.taskset.task.tool-server` | tools over MCP from a process of their own, for other harnesses |
"""
