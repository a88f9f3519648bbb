"""A gym for SkyRL.

A package with its packs, the dataset, an entry point that registers the environment, and a script that starts it.
"""

from __future__ import annotations

from pathlib import Path

from worldwright.adapters.export.package import format_requirement, read_gym, render, render_pyproject, write_files
from worldwright.adapters.rows import GYM, PACKAGE
from worldwright.adapters.text_rows import ENV_CLASS, list_text_rows
from worldwright.agents.chat import encode
from worldwright.core.version import VERSION


def write(gym: str, out: Path) -> list[Path]:
    """Write the package of a gym into a folder. The files."""
    found = read_gym(gym)
    module = f"worldwright_{found.name}"
    rows = [{**row, GYM: f"{PACKAGE}{module}"} for row in list_text_rows(gym)]
    needs = ["skyrl-gym>=0.4", format_requirement()]
    places = {
        "name": found.name, "module": module, "package": module.replace("_", "-"), "env_class": ENV_CLASS,
        "tasks": sum(found.tasks.values()), "worlds": len(found.tasks), "worldwright_version": VERSION,
        "keys_note": render("keys_note.md", module=module),
    }  # fmt: skip
    files: dict[str, bytes | str] = {
        "pyproject.toml": render_pyproject(found, module, f"The gym {found.name}, to be trained in.", needs),
        "README.md": render("skyrl/README.md", **places),
        f"{module}/__init__.py": f'"""The gym `{found.name}`, made by Worldwright {VERSION}."""\n',
        f"{module}/main.py": render("skyrl/main.py", **places),
        "data/train.jsonl": "".join(f"{encode(row)}\n" for row in rows),
        "run.sh": render("skyrl/run.sh", **places),
        **found.archives(f"{module}/packs"),
    }
    return write_files(files, out)
