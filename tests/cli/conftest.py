"""A small world, built once, in a store of the test's own; and a way to run commands as a shell would."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.shared_builds import build

from worldwright.blueprint.load import load_file
from worldwright.cli.main import main
from worldwright.pack.open import Pack
from worldwright.pack.seal import seal, write_pack
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


def resealed(pack: Pack, folder: Path, changes: Mapping[str, bytes | None], **facts: Any) -> str:
    """The pack written anew with other files (None to leave one out) and facts: every digest fits."""
    m = pack.manifest.model_dump(exclude={"format", "built_with", "digest", "files"})
    files = {k: v for k, v in {**pack.files, **changes}.items() if v is not None and k != "manifest.json"}
    write_pack(seal(files, {**m, **facts}), folder)
    return str(folder)


@pytest.fixture(scope="session")
def pack() -> Pack:
    """The town library with seed 7."""
    return build(load_file(LIBRARY), 7).pack


@pytest.fixture(scope="session")
def bare_pack() -> Pack:
    """The same without tasks."""
    return build(load_file(LIBRARY), 7, with_tasks=False).pack


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
def bare(home: Path, bare_pack: Pack) -> str:
    """The reference of the town library without tasks in the store."""
    store = Store()
    store.put(bare_pack.files, bare_pack.manifest)
    store.tag("town_library", "bare", "default-7", bare_pack.manifest.digest)
    return "town_library:bare"


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
