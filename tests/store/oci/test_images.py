"""An image of a world: what is in it, what is not, and that fifty cost little more than one."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest
from tests.worlds import drop_grader_files

from worldwright.core.errors import StoreError
from worldwright.pack.open import Pack
from worldwright.store.oci import spec
from worldwright.store.oci.base import Base
from worldwright.store.oci.gym import GymImages, graders, read_gym_images, tag_of, write_gym
from worldwright.store.oci.layer_cache import LayerCache
from worldwright.store.oci.layout import Layout
from worldwright.store.oci.packs import get_pack
from worldwright.store.oci.runtime import Runtime


@pytest.fixture
def folder(seven: Pack, eight: Pack, base: Base, runtime: Runtime, workshop: LayerCache, tmp_path: Path) -> Path:
    """Two worlds as images."""
    write_gym([("default-7", seven), ("default-8", eight)], base, runtime, workshop, tmp_path / "images")
    return tmp_path / "images"


def image(folder: Path, tag: str) -> tuple[Layout, spec.Descriptor]:
    layout = Layout(folder / "worlds")
    [blob] = [b for b in layout.index().manifests if b.note(spec.REF_NAME) == tag]
    return layout, blob


def files_in(folder: Path, tag: str) -> dict[str, bytes]:
    """Every file of an image, layer over layer."""
    layout, blob = image(folder, tag)
    out: dict[str, bytes] = {}
    for part in layout.manifest(blob).layers:
        with tarfile.open(layout.path(part.digest)) as tar:
            for member in tar:
                if member.isfile():
                    stream = tar.extractfile(member)
                    assert stream is not None
                    out[member.name] = stream.read()
    return out


def config_of(folder: Path, tag: str) -> dict[str, Any]:
    layout, blob = image(folder, tag)
    config: dict[str, Any] = json.loads(layout.read(layout.manifest(blob).config))
    return config


def test_an_image_holds_its_world(folder: Path, seven: Pack) -> None:
    found = {p.removeprefix("world/"): d for p, d in files_in(folder, "default-7").items() if p.startswith("world/")}
    assert found == drop_grader_files(seven.files)


def test_nothing_in_it_judges(folder: Path, seven: Pack) -> None:
    """Neither by name nor by content, in any layer: keys, verifiers, or what tells how tasks were made."""
    held_back = {path: data for path, data in seven.files.items() if path not in drop_grader_files(seven.files)}
    assert {path.split("/")[0] for path in held_back} >= {"keys", "vcode", "datasheet.json", "graph.json", "mess.json"}
    found = files_in(folder, "default-7")
    assert not [path for path in found if re.search(r"(^|/)(keys|vcode)/|verify_\d", path.removeprefix("opt/worldwright/"))
                and not path.startswith("opt/worldwright/worldwright/")]  # fmt: skip
    contents = {hashlib.sha256(data).digest() for data in found.values()}
    assert not [path for path, data in held_back.items() if hashlib.sha256(data).digest() in contents]
    for path, data in held_back.items():
        if path.startswith("keys/") and path.endswith(".json"):
            calls = json.dumps(json.loads(data)["calls"], sort_keys=True, indent=2).encode()
            assert not [p for p, d in found.items() if len(calls) > 10 and calls in d]


def test_whoever_looks_would_find_a_key(
    folder: Path, seven: Pack, base: Base, runtime: Runtime, tmp_path: Path
) -> None:
    """The look above is one that can fail: in a layer with a key it finds it."""
    layout, packs = Layout(folder / "grader"), graders(folder)[1]
    blob = spec.read(spec.Index, layout.read(packs), "gym").manifests[0]
    names = []
    for part in layout.manifest(blob).layers:
        with tarfile.open(layout.path(part.digest)) as tar:
            names += tar.getnames()
    assert [n for n in names if re.search(r"(^|/)(keys|vcode)/|verify_\d", n)]


def test_it_runs_as_nobody_and_serves_its_world(folder: Path, seven: Pack) -> None:
    config = config_of(folder, "default-7")
    run = config["config"]
    assert run["User"] == "65532:65532"
    assert run["Entrypoint"] == ["/usr/bin/python3.11", "-m", "worldwright"]
    assert run["Cmd"] == ["serve", "--gym", "/world", "--http", "--host", "0.0.0.0", "--port", "8000"]
    assert run["ExposedPorts"] == {"8000/tcp": {}}
    assert run["Healthcheck"]["Test"][:2] == ["CMD", "/usr/bin/python3.11"]
    assert "/health" in run["Healthcheck"]["Test"][-1]
    assert run["Labels"]["io.worldwright.digest"] == seven.manifest.digest
    assert "PYTHONPATH=/opt/worldwright" in run["Env"]
    layout, blob = image(folder, "default-7")
    layers = layout.manifest(blob).layers
    assert len(config["rootfs"]["diff_ids"]) == len(config["history"]) == len(layers) == 5
    for part, diff_id in zip(layers, config["rootfs"]["diff_ids"], strict=True):
        with gzip.open(layout.path(part.digest)) as plain:
            assert f"sha256:{hashlib.sha256(plain.read()).hexdigest()}" == diff_id


def test_the_same_worlds_are_the_same_images(
    folder: Path, seven: Pack, eight: Pack, base: Base, runtime: Runtime, workshop: LayerCache, tmp_path: Path
) -> None:
    again = tmp_path / "again"
    write_gym([("default-8", eight)], base, runtime, workshop, again)
    write_gym([("default-7", seven)], base, runtime, workshop, again)

    def all_of(place: Path) -> dict[str, bytes]:
        return {p.relative_to(place).as_posix(): p.read_bytes() for p in sorted(place.rglob("*")) if p.is_file()}

    assert all_of(again) == all_of(folder)


def test_images_share_all_but_small_layers(folder: Path, seven: Pack, eight: Pack) -> None:
    layout, one = image(folder, "default-7")
    _, two = image(folder, "default-8")
    a, b = ({part.digest: part.size for part in layout.manifest(blob).layers} for blob in (one, two))
    assert len(a.keys() & b.keys()) == 4
    assert sum(a[d] for d in a.keys() - b.keys()) < 0.2 * sum(a.values())
    grader = Layout(folder / "grader")
    both = {p.name for p in (layout.root / "blobs/sha256").iterdir()} & {
        p.name for p in (grader.root / "blobs/sha256").iterdir()
    }
    assert len(both) == 4, "the layers that a world runs on are those of its pack, and lie on the disk once"
    assert all((layout.root / "blobs/sha256" / n).samefile(grader.root / "blobs/sha256" / n) for n in both)


def test_the_grader_is_the_whole_pack(folder: Path, seven: Pack, eight: Pack) -> None:
    layout, gym = graders(folder)
    packs = dict(get_pack(layout, blob) for blob in spec.read(spec.Index, layout.read(gym), "gym").manifests)
    assert packs["default-7"].files == seven.files
    assert packs["default-8"].files == eight.files


@pytest.mark.slow
def test_no_key_lies_in_the_folder_that_is_handed_out(folder: Path) -> None:
    layout = Layout(folder / "worlds")
    for blob in (layout.root / "blobs/sha256").iterdir():
        if tarfile.is_tarfile(blob):
            with tarfile.open(blob) as tar:
                assert not [n for n in tar.getnames() if n.startswith(("world/keys", "world/vcode"))]


def test_what_is_listed(folder: Path, seven: Pack) -> None:
    first = read_gym_images(folder)[0]
    assert isinstance(first, GymImages)
    assert (first.name, first.variant, first.tag) == ("town_library", "default-7", "default-7")
    assert first.world == seven.manifest.digest
    assert 0 < first.own < first.total
    with pytest.raises(StoreError, match="holds no images"):
        read_gym_images(folder / "nothing")


def test_the_dockerfile_adds_layers_that_are_there_and_has_a_stage_for_each_world(folder: Path) -> None:
    text = (folder / "worlds/Dockerfile").read_text()
    added = re.findall(r"^ADD (\S+) /$", text, re.MULTILINE)
    assert len(added) == 1 + 2 * 3
    assert all((folder / "worlds" / path).is_file() for path in added)
    assert re.findall(r"^FROM runtime AS (\S+)$", text, re.MULTILINE) == ["default-7", "default-8"]
    for line in ("USER 65532:65532", "EXPOSE 8000", "HEALTHCHECK", 'ENTRYPOINT ["python3.11", "-m", "worldwright"]'):
        assert line in text


@pytest.mark.parametrize(
    ("variant", "tag"),
    [
        ("default-7", "default-7"),
        ("two_quotes-strict-7.tasks-none", "two_quotes-strict-7.tasks-none"),
        ("a b/c", "a-b-c-0123456789ab"),
        (".hidden", "hidden-0123456789ab"),
        ("ü", "world-0123456789ab"),
        ("x" * 200, "x" * 100 + "-0123456789ab"),
    ],
)
def test_tags(variant: str, tag: str) -> None:
    assert tag_of(variant, "0123456789abcdef") == tag
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}", tag)
