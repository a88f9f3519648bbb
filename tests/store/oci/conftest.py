"""Packs of one small family, a base that is only a shape, and programs of others that judge what was made.

A program that is missing is a skip; with WORLDWRIGHT_CI=1 it is a failure. `make oci-test` installs them all.
"""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.shared_builds import build
from tests.store.oci.counterparts import Served, serving

from worldwright.blueprint.checked import Checked
from worldwright.pack.open import Pack
from worldwright.store.oci import spec
from worldwright.store.oci.base import Base, read_base
from worldwright.store.oci.layer_cache import LayerCache
from worldwright.store.oci.runtime import PLACE, Runtime, find_package_files
from worldwright.store.oci.tars import layer

ROOT = Path(__file__).parents[3]


def missing(what: str) -> None:
    if os.environ.get("WORLDWRIGHT_CI"):
        pytest.fail(f"{what}, and in CI it has to be there: make oci-test")
    pytest.skip(f"{what}: make oci-test")


def tool(name: str) -> str:
    """The path of a program, or the test is left out."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if found is None:
        missing(f"{name} is not installed")
    assert found is not None
    return found


@pytest.fixture(scope="session")
def seven(library: Checked) -> Pack:
    return build(library, 7).pack


@pytest.fixture(scope="session")
def eight(library: Checked) -> Pack:
    """The same Blueprint with another seed."""
    return build(library, 8).pack


@pytest.fixture(scope="session")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A registry on this machine that lets everybody in."""
    with serving(tool("docker-registry"), tmp_path_factory.mktemp("registry")) as served:
        yield served


def root_tar(*paths: str) -> bytes:
    """The tar of a root file system that has these files, all of them empty."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for path in paths:
            tar.addfile(tarfile.TarInfo(path))
    return out.getvalue()


GLIBC = "lib64/ld-linux-x86-64.so.2"


@pytest.fixture
def workshop(tmp_path: Path) -> LayerCache:
    return LayerCache(tmp_path / "workshop")


@pytest.fixture
def base(tmp_path: Path, workshop: LayerCache) -> Base:
    """A base with the names of a Python and nothing in them: enough for everything but running it."""
    path = tmp_path / "base.tar"
    path.write_bytes(root_tar("usr/bin/python3.11", GLIBC))
    return read_base(str(path), workshop)


@pytest.fixture
def runtime(workshop: LayerCache) -> Runtime:
    """This package without its libraries."""
    tar = layer({f"{PLACE[1:]}/{path}": data for path, data in find_package_files().items()})
    return Runtime(layers=(workshop.layout.put(tar.data, spec.LAYER),), diff_ids=(tar.diff_id,), packages={})
