"""A gym written out for OpenEnv: what can be said of the folder without OpenEnv."""

from __future__ import annotations

import ast
import json
import tomllib
from pathlib import Path

import pytest
import yaml

from worldwright.adapters.export import export
from worldwright.pack.open import open_pack
from worldwright.store.open import open_gym


@pytest.fixture(scope="module")
def folder(gym_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("openenv") / "out"
    export("openenv", str(gym_folder), out)
    return out


def test_the_packs_are_inside_and_open_as_the_same_worlds(folder: Path, gym_folder: Path) -> None:
    packed, gym = open_gym(folder / "server" / "packs"), open_gym(gym_folder)
    assert {v: packed.world(v).digest for v in packed.variants} == {v: gym.world(v).digest for v in gym.variants}


def test_what_is_named_is_there(folder: Path) -> None:
    manifest = yaml.safe_load((folder / "openenv.yaml").read_text(encoding="utf-8"))
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    assert manifest["name"] == "town_library_env"
    assert project["project"]["name"] == "openenv-town_library_env"
    assert project["project"]["scripts"]["server"] == "town_library_env.server.app:main"
    execution = manifest["validation"]["execution"]
    assert (folder / execution["dockerfile"]).is_file()
    assert (folder / execution["probe_path"]).is_file()
    python = list(folder.rglob("*.py"))
    assert {p.relative_to(folder).as_posix() for p in python} >= {
        "__init__.py",
        "client.py",
        "models.py",
        "server/app.py",
    }
    for path in python:
        ast.parse(path.read_text(encoding="utf-8"))


def test_only_the_packs_hold_keys(folder: Path, gym_folder: Path) -> None:
    """Neither the probe, which is public, nor any other text beside the packs says what is right."""
    said = "\n".join(p.read_text(encoding="utf-8") for p in folder.rglob("*") if p.is_file() and p.suffix != ".tar")
    for place in gym_folder.iterdir():
        world = open_gym(gym_folder).world(place.name)
        assert any(name.startswith("keys/") for name in open_pack(place).files)
        for task in world.tasks:
            key = world.key(task.id)
            for part in (*(dict(call.arguments) for call in key.calls if call.arguments), key.answer):
                assert json.dumps(part)[1:-1] not in said
