"""The exported package before OpenEnv's own validators, and the wheel that clients get of it."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from worldwright.engine.world import Gym

openenv = pytest.importorskip("openenv")


def openenv_cli(*arguments: str) -> Any:
    from openenv.cli.__main__ import app

    return pytest.importorskip("typer.testing").CliRunner().invoke(app, arguments)


def test_the_folder_passes_the_validator(package: Path) -> None:
    found = openenv_cli("validate", str(package), "--level", "static", "--json")
    assert found.exit_code == 0, found.output
    report = json.loads(found.stdout)
    assert report["verdict"] == "pass"
    assert {check["status"] for check in report["results"]} == {"pass"}


def test_the_running_server_passes_the_validator(server: str) -> None:
    found = openenv_cli("validate", "--url", server, "--json")
    assert found.exit_code == 0, found.output
    report = json.loads(found.stdout)
    assert report["mode"] == "simulation"
    assert report["summary"]["failed_criteria"] == []


def test_an_episode_passes_the_checks_at_run_time(package: Path, server: str) -> None:
    """What `openenv validate` does with a container, here with the server that runs anyway."""
    from openenv.validation.graders import Subject
    from openenv.validation.graders.runtime import ObservationSchemaGrader, RewardWellFormedGrader, StateContractGrader
    from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser
    from openenv.validation.runtime.collector import collect_runtime_evidence
    from openenv.validation.runtime.contracts import load_runtime_plan

    manifest = OpenEnvYamlParser().parse(package)
    plan = load_runtime_plan(package, manifest.execution)
    evidence = collect_runtime_evidence(server, plan, episode_timeout_s=manifest.resources.episode_timeout_s)
    assert evidence.failure_reason is None
    assert [one.operation for one in evidence.exchanges] == ["reset", "state", "step", "state", "step", "state"]
    subject = Subject(
        root=package, manifest=manifest, image_ref=None, running=None, outputs_dir=package, runtime_evidence=evidence
    )
    for grader in (RewardWellFormedGrader(), ObservationSchemaGrader(), StateContractGrader()):
        result = grader.run(subject)
        assert result.status.value == "pass", result.evidence


def test_the_manifest_counts_the_tasks(package: Path, gym: Gym) -> None:
    manifest = yaml.safe_load((package / "openenv.yaml").read_text(encoding="utf-8"))
    counted = manifest["validation"]["capabilities"]["declared_task_count"]
    assert counted == {variant: len(gym.world(variant).tasks) for variant in gym.variants}
    assert (package / manifest["validation"]["execution"]["dockerfile"]).is_file()


def test_the_lines_of_its_readme(package: Path, server: str, capsys: pytest.CaptureFixture[str]) -> None:
    [block] = re.findall(r"```python\n(.*?)```", (package / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    exec(block.replace("http://127.0.0.1:8000", server), {})
    assert capsys.readouterr().out.endswith("True 0.0\n")


def test_a_wheel_for_clients_has_no_packs(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenEnv finds the environment in it, and its server says where the packs are."""
    from openenv import AutoAction, AutoEnv
    from openenv.auto import _discovery

    build_meta = pytest.importorskip("setuptools.build_meta")
    monkeypatch.chdir(shutil.copytree(package, tmp_path / "package"))
    with zipfile.ZipFile(tmp_path / build_meta.build_wheel(str(tmp_path))) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        assert sorted(Path(name).name for name in names) == [
            "__init__.py", "__init__.py", "app.py", "client.py", "models.py", "openenv.yaml",
        ]  # fmt: skip
        archive.extractall(tmp_path / "installed")
    for name in [name for name in sys.modules if name.startswith("town_library_env")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path / "installed"))
    _discovery.reset_discovery()
    assert AutoEnv.get_env_class("town_library").__name__ == "TownLibraryEnv"
    assert AutoAction.from_env("town_library").__name__ == "CallToolAction"
    with pytest.raises(RuntimeError, match="a wheel has no packs"):
        importlib.import_module("town_library_env.server.app")
