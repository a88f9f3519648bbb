"""A small world, built once, in a store of the test's own; and a way to run commands as a shell would."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from worldwright.blueprint.load import load_file
from worldwright.cli.main import main
from worldwright.factory.build import build
from worldwright.pack.open import Pack
from worldwright.pack.seal import write_pack
from worldwright.store.store import Store

LIBRARY = Path(__file__).resolve().parents[2] / "examples" / "town_library.yaml"


@dataclass(frozen=True, slots=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """Standard output as exactly one JSON document."""
        return json.loads(self.out)


Run = Callable[..., Outcome]


@pytest.fixture(scope="session")
def pack() -> Pack:
    """The town library with seed 7."""
    return build(load_file(LIBRARY), 7).pack


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty store."""
    root = tmp_path / "home"
    monkeypatch.setenv("WORLDWRIGHT_HOME", str(root))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return root


@pytest.fixture
def library(home: Path, pack: Pack) -> str:
    """The reference of the town library in the store."""
    store = Store()
    store.put(pack.files, pack.manifest)
    store.tag("town_library", "latest", "default-7", pack.manifest.digest)
    return "town_library"


@pytest.fixture
def folder(home: Path, pack: Pack, tmp_path: Path) -> Path:
    """The town library as a folder that a test may damage."""
    target = tmp_path / "world"
    write_pack(pack.files, target)
    return target


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    def call(*args: str, stdin: bytes = b"") -> Outcome:
        out, err = io.StringIO(), io.StringIO()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main(list(args))
        return Outcome(int(ended.value.code or 0), out.getvalue(), err.getvalue())

    return call
