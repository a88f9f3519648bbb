"""The runtime: this package as it is, and libraries from wheels for the Python of a base."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from tests.worlds import drop_grader_files

from worldwright.core.errors import BuildError, UsageError
from worldwright.core.version import VERSION
from worldwright.pack.open import Pack
from worldwright.pack.seal import write_pack
from worldwright.store.oci import runtime
from worldwright.store.oci.layer_cache import LayerCache
from worldwright.store.oci.python_in import Python
from worldwright.store.oci.runtime import find_package_files, find_requirements, install, make_runtime

PYTHON = Python(path="/usr/bin/python3.11", minor=11, machine="x86_64", libc="glibc")


def wheel(folder: Path, name: str, version: str, tag: str = "py3-none-any") -> None:
    """The smallest wheel there can be, with a script."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}/__init__.py": f"TAG = {tag!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: {tag}\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{name} = {name}:main\n",
    }
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip('=')},{len(text)}\n"
        for path, text in files.items()
    )
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / f"{name}-{version}-{tag}.whl", "w") as out:
        for path, text in {**files, f"{info}/RECORD": record + f"{info}/RECORD,,\n"}.items():
            out.writestr(path, text)


def test_what_the_server_needs_in_the_versions_that_are_here() -> None:
    found = find_requirements(PYTHON)
    assert {"pydantic", "pydantic-core", "pyyaml", "click", "rich", "typing-extensions"} <= found.keys()
    assert found["pydantic"] == metadata.version("pydantic")
    assert not {"worldwright", "pytest", "mypy", "hypothesis", "pyarrow", "oras"} & found.keys()
    assert list(found) == sorted(found)


def test_this_package_comes_as_it_is() -> None:
    found = find_package_files()
    assert f'VERSION = "{VERSION}"' in found["worldwright/core/version.py"].decode()
    assert "worldwright/kinds/database/kind.py" in found
    assert any(path.endswith("dist-info/METADATA") for path in found)
    assert not [path for path in found if "__pycache__" in path or path.endswith(".pyc")]


@pytest.mark.slow
def test_what_builds_proves_and_solves_worlds_stays_out() -> None:
    """With it, Blueprint and seed would give the keys: both are in an image."""
    packages = {path.split("/")[1] for path in find_package_files() if path.startswith("worldwright/")}
    assert packages >= {"core", "engine", "kinds", "store"}
    assert not packages & {
        "factory",
        "compiler",
        "assay",
        "catalogue",
        "anchor",
        "variants",
        "rollout",
        "gate",
        "distill",
        "train",
    }
    of_the_compiler = {path for path in find_package_files() if path.startswith("worldwright/kinds/database/compile/")}
    assert {Path(path).name for path in of_the_compiler} <= {"__init__.py", "knobs.py"}
    proving = ("worldwright/kinds/database/battery/", "worldwright/kinds/database/referee/")
    assert not [path for path in find_package_files() if path.startswith(proving)]
    commands = {Path(path).stem for path in find_package_files() if path.startswith("worldwright/cli/commands/")}
    assert commands <= {"__init__", "serve", "verify"}


SHIPPED = """
import json, sys
from pathlib import Path
from worldwright.engine.trajectories import trajectory_text
from worldwright.store.open import open_gym

assert Path(sys.modules["worldwright"].__file__).is_relative_to(sys.argv[1]), sys.modules["worldwright"].__file__
gym = open_gym(sys.argv[2])
world = gym.world(gym.variants[0])
with world.open("task_001") as episode:
    episode.call(world.tools[0].name, {})
    print(episode.verify().status, len(trajectory_text(episode.log())) > 0)
try:
    import worldwright.compiler.build
except ModuleNotFoundError as e:
    print(e.name)
"""


def test_a_world_plays_with_what_is_shipped_and_nothing_else_of_ours(seven: Pack, tmp_path: Path) -> None:
    for path, data in find_package_files().items():
        (tmp_path / "site" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / path).write_bytes(data)
    write_pack(drop_grader_files(seven.files), tmp_path / "world")
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    env = {"PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), *libraries]), "PYTHONDONTWRITEBYTECODE": "1"}
    given = {"env": env, "capture_output": True, "text": True, "check": False, "cwd": tmp_path}
    code = [sys.executable, "-S", "-c", SHIPPED, str(tmp_path / "site"), str(tmp_path / "world")]
    done = subprocess.run(code, **given)  # type: ignore[call-overload]
    assert done.stdout.split() == ["error", "True", "worldwright.compiler"], done.stderr
    command = [sys.executable, "-S", "-m", "worldwright", "verify", str(tmp_path / "world")]
    checked = subprocess.run(command, **given)  # type: ignore[call-overload]
    assert "without its keys, and what it says it is" in checked.stdout, checked.stderr
    helped = subprocess.run([*command[:4], "--help"], **given)  # type: ignore[call-overload]
    assert "verify" in helped.stdout, helped.stderr
    assert "generate " not in helped.stdout.partition("Commands:")[2]


def test_libraries_are_installed_from_wheels_for_another_python(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    wheel(wheels, "thing", "1.0", "cp311-cp311-manylinux_2_17_x86_64")
    wheel(wheels, "thing", "1.0", "cp312-cp312-manylinux_2_17_x86_64")
    wheel(wheels, "thing", "1.0", "cp312-cp312-musllinux_1_2_x86_64")
    files = install({"thing": "1.0"}, PYTHON, wheels)
    assert files["thing/__init__.py"] == b"TAG = 'cp311-cp311-manylinux_2_17_x86_64'\n"
    other = install({"thing": "1.0"}, PYTHON.model_copy(update={"minor": 12, "libc": "musl"}), wheels)
    assert other["thing/__init__.py"] == b"TAG = 'cp312-cp312-musllinux_1_2_x86_64'\n"
    assert not [path for path in files if path.startswith("bin/") or path.endswith(("RECORD", "INSTALLER", ".pyc"))]


def test_a_wheel_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    with pytest.raises(BuildError, match=r"thing==1\.0"):
        install({"thing": "1.0"}, PYTHON, tmp_path / "none")


@pytest.mark.slow
def test_the_same_runtime_is_the_same_layer_and_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel(tmp_path / "wheels", "thing", "1.0")
    monkeypatch.setattr(runtime, "find_requirements", lambda python: {"thing": "1.0"})
    one = make_runtime(PYTHON, LayerCache(tmp_path / "a"), tmp_path / "wheels")
    two = make_runtime(PYTHON, LayerCache(tmp_path / "b"), tmp_path / "wheels")
    assert one == two
    (tmp_path / "gone").mkdir()
    assert make_runtime(PYTHON, LayerCache(tmp_path / "a"), tmp_path / "gone") == one


def test_a_library_that_is_not_here_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "OWN", "no-such-thing")
    with pytest.raises(UsageError, match="an image needs no-such-thing"):
        find_requirements(PYTHON)
