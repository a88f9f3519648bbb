"""A gym as an OpenEnv package: a server with the packs inside, a client without them, and what `openenv validate` asks for."""

from __future__ import annotations

from pathlib import Path

from worldwright.adapters.export.package import Gym, format_requirement, read_gym, render, render_worlds, write_files
from worldwright.core.canonical import pretty_json
from worldwright.core.version import VERSION
from worldwright.formats.strict_yaml import dump_yaml
from worldwright.store.open import world_of

OPENENV = "openenv>=0.10,<0.11"
PORT = 8000
MAX_SESSIONS = 256


def write(gym: str, out: Path) -> list[Path]:
    """Write the package of a gym into a folder that a server runs from and an image is built from. The files."""
    found = read_gym(gym)
    places = {
        "name": found.name, "title": found.name.replace("_", " ").capitalize(), "module": _name_module(found),
        "class_name": _name_class(found), "version": found.version, "variant": next(iter(found.packs)),
        "rows": render_worlds(found), "openenv": OPENENV, "worldwright": format_requirement(),
        "worldwright_version": VERSION, "port": PORT, "sessions": MAX_SESSIONS,
    }  # fmt: skip
    files: dict[str, bytes | str] = {
        "openenv.yaml": _manifest(found),
        "pyproject.toml": render("openenv/pyproject.toml", **places),
        "README.md": render("openenv/README.md", **places),
        ".dockerignore": ".git\n.venv\n__pycache__\n*.pyc\ndist\nbuild\n*.egg-info\n",
        "__init__.py": render("openenv/init.py", **places),
        "client.py": render("openenv/client.py", **places),
        "models.py": render("openenv/models.py", **places),
        "server/__init__.py": f'"""The server of {_name_module(found)}. The packs beside it hold the keys."""\n',
        "server/app.py": render("openenv/app.py", **places),
        "server/Dockerfile": render("openenv/Dockerfile", **places),
        "validation/runtime.json": _make_probe(found),
        **found.archives("server/packs"),
    }
    return write_files(files, out)


def _name_module(gym: Gym) -> str:
    """Name the module as OpenEnv finds environments: `town_library_env`."""
    name = gym.name if gym.name.isidentifier() else f"gym_{gym.name}"
    return f"{name.removesuffix('_env')}_env"


def _name_class(gym: Gym) -> str:
    """Name the class as OpenEnv guesses it: `TownLibrary`, to which it adds Env, Action and Observation."""
    return "".join(word.capitalize() for word in _name_module(gym).replace("_env", "").split("_"))


def _manifest(gym: Gym) -> str:
    data = {
        "spec_version": 1,
        "name": _name_module(gym),
        "version": gym.version,
        "description": f"The gym {gym.name}: tasks in a simulated organisation, judged by the state that an agent leaves.",
        "type": "space",
        "runtime": "fastapi",
        "app": "server.app:app",
        "port": PORT,
        "validation": {
            "reward": {"range": [0.0, 1.0], "oracle_tolerance": 0.0, "floor_margin": 1.0},
            "resources": {"cpu": 1.0, "memory_mb": 1024, "disk_mb": 512, "episode_timeout_s": 600.0},
            "network": {"mode": "no-network"},
            "capabilities": {
                "verifier": {"kind": "reward_channel"},
                "task_api": True,
                "declared_task_count": dict(gym.tasks),
            },
            "task_distribution": {"dataset_version": gym.version},
            "types": {"tags": ["tool-use"]},
            "execution": {
                "kind": "openenv_ws",
                "probe_path": "validation/runtime.json",
                "dockerfile": "server/Dockerfile",
                "context": ".",
                "agent_boundary": "api",
            },
        },
    }
    return dump_yaml(data)


def _make_probe(gym: Gym) -> str:
    """Make what the validator plays: an episode in which nothing is done. Public, so without anything of a key."""
    variant = next(name for name, tasks in gym.tasks.items() if tasks)
    world = world_of(gym.packs[variant])
    task = world.tasks[0].id
    with world.open(task) as episode:
        calls = ["no_such_tool", episode.submit]
    reset = {"episode_id": "probe", "seed": 0, "options": {"variant": variant, "task": task}}
    actions = [{"type": "call_tool", "tool_name": name, "arguments": {}} for name in calls]
    return pretty_json({"plan_schema_version": "1", "reset": reset, "actions": actions})
