"""A gym as an OpenEnv package: a server with the packs inside, a client without them, and what `openenv validate` asks for."""

from __future__ import annotations

from pathlib import Path

from worldwright.adapters.export.package import Gym, read_gym, write_files
from worldwright.core.canonical import pretty_json
from worldwright.core.version import VERSION
from worldwright.formats.strict_yaml import dump_yaml
from worldwright.store.open import world_of

OPENENV = "openenv>=0.10,<0.11"
PORT = 8000
SESSIONS = 256


def write(gym: str, out: Path) -> list[Path]:
    """Write the package of a gym into a folder that a server runs from and an image is built from. The files."""
    found = read_gym(gym)
    files: dict[str, bytes | str] = {
        "openenv.yaml": _manifest(found),
        "pyproject.toml": _pyproject(found),
        "README.md": _readme(found),
        ".dockerignore": ".git\n.venv\n__pycache__\n*.pyc\ndist\nbuild\n*.egg-info\n",
        "__init__.py": _init(found),
        "client.py": _client(found),
        "models.py": _models(found),
        "server/__init__.py": f'"""The server of {_module(found)}. The packs beside it hold the keys."""\n',
        "server/app.py": _app(found),
        "server/Dockerfile": _dockerfile(),
        "validation/runtime.json": _probe(found),
        **found.archives("server/packs"),
    }
    return write_files(files, out)


def _module(gym: Gym) -> str:
    """As OpenEnv finds environments: `town_library_env`."""
    name = gym.name if gym.name.isidentifier() else f"gym_{gym.name}"
    return f"{name.removesuffix('_env')}_env"


def _class(gym: Gym) -> str:
    """As OpenEnv guesses the names of classes: `TownLibrary`, to which it adds Env, Action and Observation."""
    return "".join(word.capitalize() for word in _module(gym).replace("_env", "").split("_"))


def _worldwright() -> str:
    major, minor = VERSION.split(".")[:2]
    return f"worldwright>={VERSION},<{major}.{int(minor) + 1}"


def _manifest(gym: Gym) -> str:
    data = {
        "spec_version": 1,
        "name": _module(gym),
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


def _probe(gym: Gym) -> str:
    """What the validator plays: an episode in which nothing is done. Public, so without anything of a key."""
    variant = next(name for name, tasks in gym.tasks.items() if tasks)
    world = world_of(gym.packs[variant])
    task = world.tasks[0].id
    with world.open(task) as episode:
        calls = ["no_such_tool", episode.submit]
    reset = {"episode_id": "probe", "seed": 0, "options": {"variant": variant, "task": task}}
    actions = [{"type": "call_tool", "tool_name": name, "arguments": {}} for name in calls]
    return pretty_json({"plan_schema_version": "1", "reset": reset, "actions": actions})


def _pyproject(gym: Gym) -> str:
    module = _module(gym)
    return f"""\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "openenv-{module}"
version = "{gym.version}"
description = "The gym {gym.name} as an environment of OpenEnv."
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["{OPENENV}", "{_worldwright()}"]

[project.scripts]
server = "{module}.server.app:main"

# A wheel is for clients: the packs, which hold the keys, stay in this folder with the server.
[tool.setuptools]
include-package-data = false
packages = ["{module}", "{module}.server"]
package-dir = {{ "{module}" = ".", "{module}.server" = "server" }}

[tool.setuptools.package-data]
"{module}" = ["openenv.yaml"]
"""


def _init(gym: Gym) -> str:
    name = _class(gym)
    return f'''\
"""The gym `{gym.name}` as an environment of OpenEnv. Written by `worldwright export --to openenv`."""

from .client import {name}Env
from .models import {name}Action, {name}Observation

__all__ = ["{name}Action", "{name}Env", "{name}Observation"]
'''


def _models(gym: Gym) -> str:
    name = _class(gym)
    return f'''\
"""An action is a call of a tool, an observation is what came back: OpenEnv's own."""

from openenv.core.env_server.mcp_types import CallToolAction as {name}Action
from openenv.core.env_server.mcp_types import CallToolObservation as {name}Observation

__all__ = ["{name}Action", "{name}Observation"]
'''


def _client(gym: Gym) -> str:
    name = _class(gym)
    return f'''\
"""The client: `reset` gives messages and tools, `step` takes a call, `state` says where the episode stands."""

from openenv.core.env_server.types import State
from openenv.core.mcp_client import MCPToolClient

from .models import {name}Action, {name}Observation

__all__ = ["{name}Action", "{name}Env", "{name}Observation"]


class {name}Env(MCPToolClient):
    """A session with the server of `{gym.name}`."""

    async def call_tool(self, name, /, **arguments):
        """What a tool answers. (OpenEnv's own has no room for an argument that is called `name`.)"""
        return (await self.step({name}Action(tool_name=name, arguments=arguments))).observation.result

    def _parse_state(self, payload):
        return State(**payload)
'''


def _app(gym: Gym) -> str:
    return f'''\
"""The server: `uvicorn server.app:app` in the folder above, or `python -m server.app --port {PORT}`."""

import argparse
import os
from pathlib import Path

import uvicorn
from worldwright.adapters.openenv import make_app

GYM = os.environ.get("WORLDWRIGHT_GYM") or Path(__file__).parent / "packs"
if not os.environ.get("WORLDWRIGHT_GYM") and not GYM.is_dir():
    raise RuntimeError("a wheel has no packs: start the server in the folder that was exported, or set WORLDWRIGHT_GYM")

app = make_app(
    GYM,
    name="{gym.name}",
    sessions=int(os.environ.get("MAX_CONCURRENT_ENVS", "{SESSIONS}")),
)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default={PORT})
    options = parser.parse_args()
    uvicorn.run(app, host=options.host, port=options.port)


if __name__ == "__main__":
    main()
'''


def _dockerfile() -> str:
    return f"""\
FROM python:3.11-slim
WORKDIR /app/env
COPY . /app/env
# A wheel in ./wheels is taken before what the index has.
RUN pip install --no-cache-dir --find-links wheels '{OPENENV}' '{_worldwright()}' \\
 && useradd --create-home --uid 1000 player
USER player
ENV PYTHONDONTWRITEBYTECODE=1
EXPOSE {PORT}
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s --retries=3 \\
    CMD python -c "import urllib.request as r; r.urlopen('http://127.0.0.1:{PORT}/health', timeout=2)"
CMD ["uvicorn", "server.app:app", "--host", "0.0.0.0", "--port", "{PORT}"]
"""


def _readme(gym: Gym) -> str:
    module, name = _module(gym), _class(gym)
    variant = next(iter(gym.packs))
    rows = "\n".join(
        f"| `{variant}` | {gym.tasks[variant]} | `{pack.manifest.digest}` |" for variant, pack in gym.packs.items()
    )
    return f"""\
---
title: {gym.name.replace("_", " ").capitalize()}
sdk: docker
app_port: {PORT}
base_path: /web
pinned: false
tags:
  - openenv
---

# {module}

The gym `{gym.name}`, made by Worldwright {VERSION}, as an environment of [OpenEnv](https://pypi.org/project/openenv/) 0.10.

| variant | tasks | world |
| --- | --- | --- |
{rows}

## Run the server

    pip install '{OPENENV}' '{_worldwright()}'
    uvicorn server.app:app --port {PORT}

Or as an image: `docker build -f server/Dockerfile -t {module} .` and `docker run -p {PORT}:{PORT} {module}`; `openenv build`,
`openenv validate` and `openenv push` work in this folder too. `MAX_CONCURRENT_ENVS` sets how many sessions there may be at once
({SESSIONS} unless set). The server asks nobody who they are: keep it on a network of your own, or behind something that does.

## Play

```python
from openenv.core import GenericEnvClient

with GenericEnvClient(base_url="http://127.0.0.1:{PORT}").sync() as env:
    result = env.reset(variant="{variant}", task="task_001")
    print(result.observation["messages"], [tool["name"] for tool in result.observation["tool_specs"]])
    result = env.step({{"tool_name": "submit_answer", "arguments": {{}}}})
    print(result.done, result.reward)
```

`reset` takes `variant` and `task`, or `split` (a variant) and `index`, or a `seed`. `pip install .` gives
`from {module} import {name}Env`, a client that speaks MCP as well.

The reward is 0 while an episode runs. When it is done, it is 1 where the state and the answer are what was asked for, else 0,
and null where the environment itself failed: leave such an episode out.

## This folder holds the keys

The server grades, so the keys of all tasks are in `server/packs`. They belong on the side that trains or evaluates: keep an
image or a Space of this folder private where models must not learn the answers. A wheel built from it, for clients, has no packs.
"""
