"""A gym for verl: a package with its packs, the dataset, an agent loop and its config, and a script that starts it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worldwright.adapters.export.package import format_requirement, read_gym, render, render_pyproject, write_files
from worldwright.adapters.rows import GYM, PACKAGE, TASK, VARIANT, list_rows
from worldwright.agents.chat import encode
from worldwright.core.version import VERSION

AGENT = "worldwright"


def write(gym: str, out: Path) -> list[Path]:
    """Write the package of a gym into a folder. The files."""
    found = read_gym(gym)
    module = f"worldwright_{found.name}"
    places = {
        "name": found.name, "module": module, "package": module.replace("_", "-"), "tasks": sum(found.tasks.values()),
        "worlds": len(found.tasks), "worldwright_version": VERSION, "keys_note": render("keys_note.md", module=module),
    }  # fmt: skip
    rows = (encode(_make_row(row, at, f"{PACKAGE}{module}")) for at, row in enumerate(list_rows(gym)))
    description = f"The gym {found.name}, to be trained in."
    files: dict[str, bytes | str] = {
        "pyproject.toml": render_pyproject(found, module, description, [format_requirement("[train]")]),
        "README.md": render("verl/README.md", **places),
        f"{module}/__init__.py": f'"""The gym `{found.name}`, made by Worldwright {VERSION}."""\n',
        f"{module}/agent_loop.py": render("verl/agent_loop.py", **places),
        "agent.yaml": f"- name: {AGENT}\n  _target_: {module}.agent_loop.WorldAgentLoop\n",
        "data/train.jsonl": "".join(f"{row}\n" for row in rows),
        "run.sh": render("verl/run.sh"),
        **found.archives(f"{module}/packs"),
    }
    return write_files(files, out)


def _make_row(row: dict[str, Any], at: int, gym: str) -> dict[str, Any]:
    """Make a row as verl's RLHFDataset has it. The reward comes from the agent loop: nothing is there to compare with."""
    episode = {GYM: gym, VARIANT: row[VARIANT], TASK: row[TASK], "world": row["world"]}
    return {
        "data_source": AGENT,
        "agent_name": AGENT,
        "prompt": row["prompt"],
        "reward_model": {"style": "rule", "ground_truth": ""},
        "extra_info": {"index": at, "family": row["family"], **episode},
    }
