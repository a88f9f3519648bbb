"""The public surface: short, complete, and free to import."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import worldwright as ww
from worldwright import catalogue
from worldwright.compiler.build import BuiltWorld, name_variant
from worldwright.store.store import Store

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", ww.__all__)
def test_every_exported_name_is_there(name: str) -> None:
    assert getattr(ww, name) is not None


def test_nothing_else_is_exported() -> None:
    assert dir(ww) == sorted(ww.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        ww.nothing  # noqa: B018


def test_importing_loads_nothing_heavy() -> None:
    code = "import sys, worldwright; print([m for m in ('pydantic', 'yaml', 'click', 'rich', 'torch') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def procurement(built: Callable[[str], BuiltWorld]) -> BuiltWorld:
    return built("enterprise_procurement")


def test_the_python_of_the_readme_runs(procurement: BuiltWorld) -> None:
    store = Store()
    store.put(procurement.pack.files, procurement.pack.manifest)
    variant = name_variant(catalogue.load("enterprise_procurement"), 7)
    store.tag("enterprise_procurement", "latest", variant, procurement.pack.manifest.digest)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        scope: dict[str, object] = {}
        exec(block, scope)
        result = scope["result"]
        assert isinstance(result, ww.Result)
        assert result.ok, result.error


def test_the_readme_names_every_shipped_world_and_pack_file(procurement: BuiltWorld) -> None:
    text = (ROOT / "README.md").read_text()
    for name in catalogue.names():
        assert f"`{name}`" in text
    for path in procurement.pack.files:
        folder = path.partition("/")[0] + "/"
        assert f"`{path}`" in text or f"`{folder}" in text, path
