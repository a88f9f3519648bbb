"""The package of a gym: built twice the same, and used through the framework's own commands."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from worldwright.adapters.export import export
from worldwright.engine.world import World

from .conftest import Model, Script, wheel

pytest.importorskip("verifiers.v1")

PACKAGE = "worldwright-town-library"


def test_wheels_of_the_same_gym_are_the_same_bytes_and_hold_its_packs(gym_folder: Path, tmp_path: Path) -> None:
    built = []
    for name in ("one", "two"):
        export("verifiers", str(gym_folder), tmp_path / name)
        (tmp_path / ".gitignore").write_text("*.tar\n")
        built.append(wheel(tmp_path / name, tmp_path / f"dist_{name}"))
    assert built[0].read_bytes() == built[1].read_bytes()
    assert built[0].name == built[1].name
    with zipfile.ZipFile(built[0]) as archive:
        names = archive.namelist()
        [metadata] = [archive.read(name).decode() for name in names if name.endswith("METADATA")]
    assert {n for n in names if ".dist-info/" not in n} == {
        "worldwright_town_library/__init__.py",
        "worldwright_town_library/packs/seed_7.tar",
        "worldwright_town_library/packs/seed_8.tar",
    }
    about = Parser().parsestr(metadata)
    assert about["Name"] == PACKAGE
    assert {"verifiers<0.5,>=0.4"} <= set(about.get_all("Requires-Dist", []))


@pytest.mark.usefixtures("installed")
def test_evaluate_by_the_command_and_grade_the_saved_traces_again(model: Model, oracle: Script, tmp_path: Path) -> None:
    from verifiers.v1.cli.replay import run_replay
    from verifiers.v1.configs.cli.replay import ReplayConfig

    model.script = oracle
    done = subprocess.run(
        [
            str(Path(sys.executable).parent / "vf-eval"), PACKAGE, "-m", "scripted", "--client.base-url", model.url,
            "--client.api-key-var", "NOBODYS_KEY", "-n", "4", "-r", "2", "--no-push", "--no-rich", "--run.name", "first",
        ],
        cwd=tmp_path, env={**os.environ, "HOME": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    run = tmp_path / "outputs" / "first"
    found = [json.loads(line) for line in (run / "traces.jsonl").read_text().splitlines()]
    traces = [trace for episode in found for trace in episode["traces"]]
    assert [(t["ok"], t["rewards"]["verdict"]["score"]) for t in traces] == [(True, 1.0)] * 8
    config = ReplayConfig(taskset={"id": PACKAGE}, rich=False)
    again = asyncio.run(run_replay(config, run, tmp_path / "again"))
    assert [trace.reward for trace in again] == [1.0] * 8


@pytest.mark.usefixtures("installed")
def test_the_framework_finds_every_task_valid(worlds: dict[str, World], tmp_path: Path) -> None:
    """The witness of each key earns the reward; a task that nobody touched does not."""
    from verifiers.v1.cli.validate import run_validate
    from verifiers.v1.configs.cli.validate import ValidateConfig

    config = ValidateConfig(taskset={"id": PACKAGE}, runtime={"type": "subprocess"}, rich=False, output_dir=tmp_path)
    found = asyncio.run(run_validate(config))
    assert len(found) == sum(len(world.tasks) for world in worlds.values())
    assert {(row["valid"], row["reason"]) for row in found} == {(True, "valid")}
