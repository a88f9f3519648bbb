"""`worldwright push`: push packs or images to an OCI registry."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from worldwright.cli.extras import require_extra
from worldwright.cli.inputs.options import json_option, plain_http_option
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.terminal.tables import grid
from worldwright.core.errors import UsageError
from worldwright.english.nouns import count_noun

MAX_TAG_CHARS = 128
"""Letters of a tag, as registries have it."""


@click.command(name="push")
@click.argument("ref")
@click.argument("destination", metavar="oci://HOST/NAME[:TAG]")
@click.option("--grader/--no-grader", default=True, help="Whether a folder of images is pushed with its packs.")
@plain_http_option
@json_option("What was pushed, as one JSON document.")
def command(ref: str, destination: str, grader: bool, plain_http: bool, as_json: bool) -> None:
    """Push packs, or images, to an OCI registry. What it has already is not sent again, so a push can be repeated.

    REF is a family in the store, one variant of it, or a path: its packs become artifacts under TAG (latest). Or REF is a folder
    of images: each becomes NAME:VARIANT (NAME:TAG-VARIANT where a tag is given), and the whole packs NAME-grader:TAG, a
    repository of its own, because who may pull a world is not who may see its keys.

    Credentials are those of `docker login` and podman, or $WORLDWRIGHT_REGISTRY_USER and $WORLDWRIGHT_REGISTRY_PASSWORD.

    \b
    Examples:
      worldwright push retail_returns:latest oci://registry.example.com/gyms/retail_returns:v1
      worldwright push retail_returns:latest/default-7 oci://127.0.0.1:5000/retail_returns:seven
      worldwright push images oci://registry.example.com/worlds/retail_returns --no-grader
    """
    with require_extra("oci"):
        from worldwright.store.oci.gym import WORLDS
        from worldwright.store.oci.layout import is_layout
        from worldwright.store.oci.reference import parse_reference
    at = parse_reference(destination)
    of_images = is_layout(Path(ref) / WORLDS)
    document = _images(Path(ref), at, grader, plain_http) if of_images else _packs(ref, at, plain_http)
    if as_json:
        print_json(document)
    else:
        _say(Screen(), document)


def _packs(ref: str, at: Any, plain_http: bool) -> dict[str, Any]:
    from worldwright.store.oci.layout import Layout
    from worldwright.store.oci.local_store import count_of, open_packs
    from worldwright.store.oci.packs import Cutter, put_gym, put_pack
    from worldwright.store.oci.registry import Repository
    from worldwright.store.oci.transfer import Transfer, push

    moved, total, tag = Transfer(), count_of(ref), at.tag or "latest"
    with Repository(at, plain_http) as to, tempfile.TemporaryDirectory(prefix="worldwright-") as folder:
        layout = Layout(Path(folder))
        cutter, blobs = Cutter(layout), []
        with Progress(Screen(err=True), "packs", total) as progress:
            for variant, pack in open_packs(ref):
                blobs.append(put_pack(cutter, pack, variant))
                push(layout, blobs[-1], to, tag if total == 1 else "", moved)
                progress.step(f"{moved.bytes / 1e6:,.1f} MB sent")
        digest = blobs[0].digest if total == 1 else push(layout, put_gym(layout, tuple(blobs)), to, tag, moved)
    pushed = [{"reference": f"oci://{at.repository}:{tag}", "kind": "pack" if total == 1 else "gym", "digest": digest}]
    return {"pushed": pushed, "worlds": total, **moved.data()}


def _images(folder: Path, at: Any, grader: bool, plain_http: bool) -> dict[str, Any]:
    from worldwright.store.oci import spec
    from worldwright.store.oci.gym import WORLDS, graders
    from worldwright.store.oci.layout import Layout
    from worldwright.store.oci.registry import Repository
    from worldwright.store.oci.transfer import Transfer, push

    moved, layout = Transfer(), Layout(folder / WORLDS)
    images = layout.index().manifests
    pushed = []
    with Repository(at, plain_http) as to, Progress(Screen(err=True), "images", len(images)) as progress:
        for blob in images:
            tag = f"{at.tag}-{blob.note(spec.REF_NAME)}" if at.tag else blob.note(spec.REF_NAME)
            if len(tag) > MAX_TAG_CHARS:
                raise UsageError(f"{tag} is too long for a tag; choose one shorter than {at.tag}")
            digest = push(layout, blob, to, tag, moved)
            pushed.append({"reference": f"oci://{at.repository}:{tag}", "kind": "image", "digest": digest})
            progress.step(f"{moved.bytes / 1e6:,.1f} MB sent")
    if grader:
        beside = at.sibling("-grader")
        packs, gym = graders(folder)
        tag = at.tag or "latest"
        with Repository(beside, plain_http) as to:
            digest = push(packs, gym, to, tag, moved)
        pushed.append({"reference": f"oci://{beside.repository}:{tag}", "kind": "gym", "digest": digest})
    return {"pushed": pushed, "worlds": len(images), **moved.data()}


def _say(screen: Screen, document: dict[str, Any]) -> None:
    grid(screen, ("what", "", "digest"), [(p["kind"], p["reference"], p["digest"][:19]) for p in document["pushed"]])
    screen.print(
        Text(
            f"  {document['bytes'] / 1e6:,.1f} MB in {count_noun(document['blobs'], 'blob')} sent, "
            f"{document['there_already']} there already",
            "dim",
        )
    )
