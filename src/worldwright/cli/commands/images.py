"""`worldwright images`: make OCI images of worlds without a daemon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.text import Text

from worldwright.cli.extras import require_extra
from worldwright.cli.groups import NamedCommands
from worldwright.cli.inputs.options import FOLDER, force_option, json_option, plain_http_option
from worldwright.cli.jobs.images import base_option, make_images, wheels_option
from worldwright.cli.terminal.console import Screen, escape
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.tables import grid


@click.group(name="images", cls=NamedCommands)
def command() -> None:
    """Make OCI images of worlds without a Docker daemon, and list them."""


@command.command(short_help="Make an image of every world of REF.")
@click.argument("ref")
@click.argument("folder", metavar="[DIR]", required=False, type=FOLDER)
@base_option
@wheels_option
@force_option("Replace images of other worlds that have the same tags.")
@json_option("What was made, as one JSON document.")
def build(ref: str, folder: Path | None, base_image: str, wheels: Path | None, force: bool, as_json: bool) -> None:
    """Make an image for every world of REF: a family in the store, one variant of it, or a path.

    All images of a folder share a base and a runtime; each adds a small layer of its own. DIR/worlds is an OCI layout of the
    images, and has a Dockerfile; keys and verifiers are not in it. DIR/grader has the whole packs, for whoever trains. Without
    DIR, images go to the store's own folder.

    \b
    Examples:
      worldwright images build retail_returns:latest images --base python.tar
      worldwright images build retail_returns:latest/default-7 images --base docker://python:3.12-slim
      skopeo copy oci:images/worlds:default-7 docker-daemon:retail-returns:default-7
    """
    from worldwright.store.store import find_home

    with require_extra("oci"):
        from worldwright.store.oci.local_store import count_of, open_packs
    target = folder if folder is not None else find_home() / "images" / ref.replace(":", "-").replace("/", "-")
    document = make_images(open_packs(ref), target, base_image, wheels, count_of(ref), force)
    if as_json:
        print_json(document)
        return
    screen = Screen()
    _table(screen, document["images"])
    shared = (document["base"]["bytes"] + document["runtime"]["bytes"]) / 1e6
    screen.print(Text(f"  {shared:,.1f} MB of each are base and runtime, there once", "dim"))
    screen.print()
    screen.print(Text("next", "dim"))
    screen.print(f"  worldwright push {target} oci://HOST/NAME", soft_wrap=True)
    first = document["images"][0]["tag"]
    screen.print(f"  podman run --read-only -p 8000:8000 oci:{target}/worlds:{first}", soft_wrap=True)


@command.command(name="list", short_help="List images in a folder or a registry.")
@click.argument("where", metavar="[DIR|oci://HOST/NAME]", required=False)
@plain_http_option
@json_option()
def list_(where: str | None, plain_http: bool, as_json: bool) -> None:
    """List the images in a folder, in a repository of a registry, or in the store's own folder.

    \b
    Examples:
      worldwright images list
      worldwright images list images --json
      worldwright images list oci://127.0.0.1:5000/gyms/retail_returns
    """
    with require_extra("oci"):
        from worldwright.store.oci.reference import SCHEME
    if where is not None and where.startswith(SCHEME):
        _list_registry(where, plain_http, as_json)
    else:
        _list_folders([Path(where)] if where else _list_image_folders(), as_json)


def _list_image_folders() -> list[Path]:
    from worldwright.store.store import find_home

    return sorted(path.parent for path in (find_home() / "images").glob("[!.]*/worlds"))


def _list_folders(folders: list[Path], as_json: bool) -> None:
    from dataclasses import asdict

    from worldwright.store.oci.gym import read_gym_images

    found = {str(folder): [asdict(image) for image in read_gym_images(folder)] for folder in folders}
    if as_json:
        print_json({"folders": [{"folder": folder, "images": images} for folder, images in found.items()]})
        return
    screen = Screen()
    for folder, images in found.items():
        screen.print(Text(folder, "bold"), soft_wrap=True)
        _table(screen, images)
    if not found:
        screen.print("  nothing yet; worldwright images build REF --base IMAGE makes some")


def _list_registry(where: str, plain_http: bool, as_json: bool) -> None:
    with require_extra("oci"):
        from worldwright.store.oci.reference import parse_reference
        from worldwright.store.oci.registry import Repository
        from worldwright.store.oci.transfer import list_tags
    at = parse_reference(where)
    with Repository(at, plain_http) as source:
        found = list_tags(source)
    if as_json:
        print_json({"repository": at.repository, "tags": found})
        return
    screen = Screen()
    screen.print(Text(at.repository, "bold"), soft_wrap=True)
    rows = [(escape(f["tag"]), f["kind"], escape(f["world"][:12]), f["digest"][:19]) for f in found]
    grid(screen, ("tag", "what", "world", "digest"), rows)


def _table(screen: Screen, images: list[dict[str, Any]]) -> None:
    rows = [
        (escape(i["tag"]), escape(i["name"]), i["world"][:12], i["image"][:19], f"{i['own'] / 1e3:,.0f} kB")
        for i in images
    ]
    grid(screen, ("tag", "world", "digest", "image", "its own"), rows, right={"its own"})
