"""A gym as a package of verifiers v1: one Taskset, a harness and an environment, and the packs beside them."""

from __future__ import annotations

from pathlib import Path

from worldwright.adapters.export.package import (
    Gym,
    format_requirement,
    read_gym,
    render,
    render_pyproject,
    render_worlds,
    write_files,
)
from worldwright.core.version import VERSION
from worldwright.engine.tasks import TaskBook


def write(gym: str, out: Path) -> list[Path]:
    """Write the package of a gym into a folder that a wheel is built from. The files."""
    found = read_gym(gym)
    module = f"worldwright_{found.name}"
    description = f"The gym {found.name} as an environment of verifiers v1."
    files: dict[str, bytes | str] = {
        "pyproject.toml": render_pyproject(found, module, description, ["verifiers>=0.4,<0.5", format_requirement()]),
        "README.md": _readme(found, module),
        f"{module}/__init__.py": render("verifiers/init.py", name=found.name, module=module, class_name=_class(found)),
        **found.archives(f"{module}/packs"),
    }
    return write_files(files, out)


def _class(gym: Gym) -> str:
    name = "".join(part.capitalize() for part in gym.name.split("_"))
    return name if name.isidentifier() else f"Gym{name}"


def _readme(gym: Gym, module: str) -> str:
    variant = next(name for name, tasks in gym.tasks.items() if tasks)
    return render(
        "verifiers/README.md",
        name=gym.name,
        module=module,
        package=module.replace("_", "-"),
        first=f"{variant}/{TaskBook(gym.packs[variant].files).tasks()[0].id}",
        rows=render_worlds(gym),
        worldwright_version=VERSION,
    )
