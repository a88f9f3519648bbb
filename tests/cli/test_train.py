"""`worldwright train` as a shell sees it. The training itself is tested where torch is."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.cli.conftest import Run

WITHOUT = "import sys; sys.modules.update(dict.fromkeys(('torch', 'transformers', 'trl', 'jinja2')))\n"
CALL = "from worldwright.cli.main import main; main(sys.argv[1:])"


def shell(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", WITHOUT + CALL, *args], capture_output=True, text=True, check=False)


def test_help_needs_no_torch() -> None:
    done = shell("train", "--help")
    assert done.returncode == 0, done.stderr
    assert "--rollout-workers" in done.stdout


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    done = shell("train", "--gym", "g", "--model", "m", "--out", str(tmp_path / "run"))
    assert done.returncode != 0
    assert "pip install 'worldwright[train]'" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "name --model and --gym, or a file that does"),
        (("--gym", "g"), "name --model, or a file"),
        (("--gym", "g", "--model", "m", "--set", "grpo.stpes=3"), "grpo.stpes is no setting"),
        (("--gym", "g", "--model", "m", "--set", "grpo"), "'grpo' is not NAME=VALUE"),
        (("--gym", "g", "--model", "m", "--set", "sft.learning_rate=fast"), "sft.learning_rate: "),
        (("--config", "nothing.yaml"), "there is no file nothing.yaml"),
        (("--out", "nowhere", "--resume"), "there is no file nowhere/run.yaml"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_loaded(run: Run, args: tuple[str, ...], said: str) -> None:
    done = run("train", *args)
    assert done.code != 0
    assert said in " ".join(done.err.split())


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is missing")
def test_a_model_that_is_not_there_is_named(run: Run, library: str, tmp_path: Path) -> None:
    done = run("train", "--gym", library, "--model", str(tmp_path / "none"), "--out", str(tmp_path / "run"))
    assert done.code != 0
    assert f"the model {tmp_path / 'none'} cannot be loaded" in " ".join(done.err.split())
