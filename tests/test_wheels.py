"""A wheel in a fresh environment: with each extra the command answers, and does what the extra is for."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
ELSEWHERE = {
    "train": "make train-test", "ray": "make ray-test", "verifiers": "make adapters-test", "openenv": "make adapters-test",
    "inspect": "make adapters-test", "gymnasium": "make adapters-test", "browsergym": "make adapters-test",
    "embed": "gigabytes for one option", "dev": "make setup",
}  # fmt: skip
"""Extras whose own suites install them."""
TELLING = {
    "cli": (["blueprint", "check", "examples/town_library.yaml"], 0, "ok, "),
    "anchor": (["upload", "examples/bike_workshop", "--name", "bikes"], 0, "anchor locked"),
    "data": (["contamination", "--gym", "no_such_gym", "--against", "README.md"], 3, "no_such_gym"),
    "mcp": (["upload", "--mcp-command", "no-such-program"], 2, "there is no such program"),
    "serve": (["serve", "--gym", "no_such_gym"], 3, "no_such_gym"),
    "app": (["app", "no_such_world"], 3, "no_such_world"),
    "studio": (["studio", "--no-open", "--runs", "no_such_folder"], 2, "no_such_folder"),
    "models": (["rollout", "--gym", "no_such_gym", "--agent", "openai:m"], 3, "no_such_gym"),
    "oci": (["pull", "oci://127.0.0.1:9/nothing"], 3, "127.0.0.1:9"),
}
"""Of each extra: a command that loads what the extra brings, its exit code, and what it says."""
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def pip(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "pip", *args], capture_output=True, text=True, check=False)


def install(environment: Path, what: str) -> subprocess.CompletedProcess[str]:
    """Install with uv, which takes seconds; with pip where uv does not get at what only pip is told of."""
    uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", str(environment), what]
    done = subprocess.run(uv, capture_output=True, text=True, check=False)
    return done if done.returncode == 0 else pip("--python", str(environment), "install", "--quiet", what)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = pip("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


def test_every_extra_is_installed_here_or_in_a_suite_of_its_own() -> None:
    assert sorted(EXTRAS) == sorted({**TELLING, **ELSEWHERE})


def test_the_wheel_holds_what_is_no_python(wheel: Path) -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "zipfile", "-l", str(wheel)], capture_output=True, text=True, check=True
    )
    for name in (
        "worldwright/py.typed",
        "worldwright/app/templates/base.html",
        "worldwright/app/static/parts.css",
        "worldwright/app/static/app.js",
        "worldwright/cli/demo/rental_api.yaml",
        "worldwright/cli/demo/rental_rules.md",
    ):
        assert name in listed.stdout


@pytest.mark.parametrize("extra", TELLING)
def test_an_extra_gives_a_working_command(extra: str, wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False)
    done = install(tmp_path / "env", f"{wheel}[{extra}]")
    if done.returncode != 0 and "No matching distribution" in done.stderr and "WORLDWRIGHT_CI" not in os.environ:
        pytest.skip(f"packages cannot be installed here: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    surroundings = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "WORLDWRIGHT"))}
    surroundings["WORLDWRIGHT_HOME"] = str(tmp_path / "home")
    surroundings["OPENAI_API_KEY"] = "none"

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(tmp_path / "env" / "bin" / "worldwright"), *words]
        return subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False)

    help_ = call("--help")
    assert help_.returncode == 0, help_.stderr
    assert "Make worlds:" in help_.stdout
    words, code, said = TELLING[extra]
    found = call(*words)
    assert "pip install" not in found.stderr
    assert "Traceback" not in found.stderr
    assert found.returncode == code, found.stderr
    assert said in found.stdout + found.stderr
